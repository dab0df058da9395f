/*
 * memory.cc - a program in C++ that knows nothing but the installed library
 *
 * A box filter over nine pixels, held by unique_ptr: what the header declares links by its C name.
 */
#include <cstdio>
#include <imfilter.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <typename T, void (*Free)(T **)> struct deleter {
    void operator()(T *object) const {
        Free(&object);
    }
};
template <typename T, void (*Free)(T **)> using owned = std::unique_ptr<T, deleter<T, Free>>;
using filter = owned<imf_filter, imf_filter_free>;
using context = owned<imf_context, imf_context_free>;
using plan = owned<imf_plan, imf_plan_free>;
using workspace = owned<imf_workspace, imf_workspace_free>;

void check(imf_status status, const imf_error &err) {
    if (status != IMF_OK)
        throw std::runtime_error(err.text);
}

std::vector<unsigned char> blurred(const std::vector<unsigned char> &pixels, int width) {
    const char *spec = "box:3";
    imf_error err = {};
    imf_filter *f = nullptr;
    imf_context *c = nullptr;
    imf_plan *p = nullptr;
    imf_workspace *w = nullptr;

    check(imf_filter_parse(&f, &spec, 1, &err), err);
    filter the_filter(f);
    imf_context_options options = {};
    options.size = sizeof options;
    options.cache_dir = "";
    check(imf_context_create(&c, &options, &err), err);
    context the_context(c);
    imf_info info = {};
    info.width = width;
    info.height = static_cast<int>(pixels.size()) / width;
    info.channels = 1;
    info.depth = 8;
    imf_settings settings = {};
    settings.backend = IMF_BACKEND_CPU;
    check(imf_plan_create(&p, c, f, &info, &settings, &err), err);
    plan the_plan(p);
    check(imf_workspace_create(&w, p, &err), err);
    workspace the_workspace(w);
    std::vector<unsigned char> result(pixels.size());
    check(imf_workspace_run_memory(w, pixels.data(), width, result.data(), width, nullptr, nullptr,
                                   &err),
          err);
    return result;
}

} // namespace

int main() {
    try {
        // The mean at the centre, and at a corner with the edge's pixels repeated.
        auto result = blurred({0, 0, 0, 0, 90, 0, 0, 0, 180}, 3);
        if (result[4] != 30 || result[8] != 90)
            throw std::runtime_error("wrong pixels: " + std::to_string(result[4]) + ", " +
                                     std::to_string(result[8]));
        std::printf("%s ok\n", imf_version());
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "memory.cc: %s\n", failure.what());
        return 1;
    }
    return 0;
}
