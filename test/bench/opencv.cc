/*
 * opencv.cc - what OpenCV takes for the same work, in process, pixels in memory
 *
 *   opencv PICTURE.ppm REPEATS SPEC...      one line a spec: SPEC minimum median (milliseconds)
 *
 * Specs are imfilter's. What OpenCV has no call for prints "-".
 */
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

static double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

static cv::Mat disk(double radius) {
    int r = static_cast<int>(radius), n = 2 * r + 1;
    cv::Mat k(n, n, CV_32F);
    for (int y = -r; y <= r; y++)
        for (int x = -r; x <= r; x++)
            k.at<float>(y + r, x + r) = x * x + y * y <= radius * radius ? 1.0f : 0.0f;
    return k / cv::sum(k)[0];
}

/* A kernel of no structure, as kernel:@FILE would hold it; the same numbers as run.sh's. */
static cv::Mat unstructured(int n, float offset) {
    cv::Mat k(n, n, CV_32F);
    for (int i = 0; i < n * n; i++)
        k.at<float>(i / n, i % n) = static_cast<float>((i * 7) % 11 - 5) + offset;
    return k / 16.0f;
}

static std::function<void()> work(const std::string &spec, const cv::Mat &in, cv::Mat &out) {
    double v = 0;
    if (spec == "copy")
        return [&] { in.copyTo(out); };
    if (spec == "sharpen") {
        cv::Mat k = (cv::Mat_<float>(3, 3) << 0, -1, 0, -1, 5, -1, 0, -1, 0);
        return [&, k] { cv::filter2D(in, out, -1, k, cv::Point(-1, -1), 0, cv::BORDER_REPLICATE); };
    }
    if (std::sscanf(spec.c_str(), "disk:%lf", &v) == 1) {
        cv::Mat k = disk(v);
        return [&, k] { cv::filter2D(in, out, -1, k, cv::Point(-1, -1), 0, cv::BORDER_REPLICATE); };
    }
    bool real = std::sscanf(spec.c_str(), "real:%lf", &v) == 1;
    if (real || std::sscanf(spec.c_str(), "custom:%lf", &v) == 1) {
        cv::Mat k = unstructured(static_cast<int>(v), real ? 0.3f : 0.0f);
        return [&, k] { cv::filter2D(in, out, -1, k, cv::Point(-1, -1), 0, cv::BORDER_REPLICATE); };
    }
    if (std::sscanf(spec.c_str(), "blur:%lf", &v) == 1)
        return [&, v] { cv::GaussianBlur(in, out, cv::Size(0, 0), v, v, cv::BORDER_REPLICATE); };
    // OpenCV's own choice is 3 sigma a side; this is with as many taps as imfilter has.
    if (std::sscanf(spec.c_str(), "alltaps:%lf", &v) == 1)
        return [&, v] {
            int n = 2 * static_cast<int>(std::ceil(4 * v)) + 1;
            cv::GaussianBlur(in, out, cv::Size(n, n), v, v, cv::BORDER_REPLICATE);
        };
    if (std::sscanf(spec.c_str(), "box:%lf", &v) == 1)
        return [&, v] {
            int n = static_cast<int>(v);
            cv::blur(in, out, cv::Size(n, n), cv::Point(-1, -1), cv::BORDER_REPLICATE);
        };
    if (spec == "sobel")
        return [&] {
            static cv::Mat gx, gy, m;
            cv::Sobel(in, gx, CV_32F, 1, 0, 3, 1, 0, cv::BORDER_REPLICATE);
            cv::Sobel(in, gy, CV_32F, 0, 1, 3, 1, 0, cv::BORDER_REPLICATE);
            cv::magnitude(gx.reshape(1), gy.reshape(1), m);
            m.convertTo(out, CV_8U);
        };
    return nullptr;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: opencv PICTURE REPEATS SPEC...\n");
        return 2;
    }
    cv::Mat in = cv::imread(argv[1], cv::IMREAD_UNCHANGED), out;
    int repeats = std::max(1, std::atoi(argv[2]));
    if (in.empty()) {
        std::fprintf(stderr, "opencv: cannot read %s\n", argv[1]);
        return 1;
    }
    for (int i = 3; i < argc; i++) {
        std::function<void()> f = work(argv[i], in, out);
        if (!f) {
            std::printf("%s - -\n", argv[i]);
            continue;
        }
        f();
        std::vector<double> t;
        for (int r = 0; r < repeats; r++) {
            double begin = now_ms();
            f();
            t.push_back(now_ms() - begin);
        }
        std::sort(t.begin(), t.end());
        std::printf("%s %.3f %.3f\n", argv[i], t[0], t[t.size() / 2]);
        std::fflush(stdout);
    }
    return 0;
}
