# Removal of noise
load helper

# A picture of flat parts, slopes, edges and texture, and the same with noise of sigma 20 of 255.
make_pictures() {
    need_python numpy
    python3 - <<'END'
import numpy as np
random = np.random.default_rng(8)
y, x = np.mgrid[:160, :200]
clean = np.stack([90 + 60 * ((x // 40 + y // 32) % 2) + 20 * np.sin(x / 3 + c) * (y > 110) + 0.2 * x for c in range(3)], axis=2)
noisy = clean + random.normal(0, 20, clean.shape)
for name, image, full, kind in (("clean.ppm", clean, 255, "u1"), ("noisy.ppm", noisy, 255, "u1"), ("deep.ppm", 257 * noisy, 65535, ">u2")):
    open(name, "wb").write(b"P6 200 160 %d\n" % full + np.clip(np.rint(image), 0, full).astype(kind).tobytes())
END
}

# Prints dB of a picture of 8 or 16 bits beside clean.ppm.
psnr() { # FILE
    python3 - "$1" <<'END'
import sys
import numpy as np
def read(path):
    data = open(path, "rb").read()
    deep = len(data) > 192000
    return np.frombuffer(data[-(192000 if deep else 96000):], ">u2" if deep else "u1") / (65535 if deep else 255)
print("%.1f" % (-10 * np.log10(((read(sys.argv[1]) - read("clean.ppm")) ** 2).mean())))
END
}

@test "denoise brings a picture nearer to what it was, best nearer than fast" {
    make_pictures
    imf -f denoise noisy.ppm -o fast.ppm
    imf -f denoise:quality=best noisy.ppm -o best.ppm
    imf -f denoise:0.0784 deep.ppm -o deep-fast.ppm
    imf -f denoise:7.84%:quality=best deep.ppm -o deep-best.ppm
    for pair in fast.ppm:33 best.ppm:34 deep-fast.ppm:33 deep-best.ppm:34; do
        db=$(psnr "${pair%:*}")
        echo "$pair: $db" >&2
        awk -v db="$db" -v least="${pair#*:}" 'BEGIN { exit !(db > least) }'
    done
}

@test "-v and --json tell how much noise was found, nothing of a given sigma" {
    make_pictures
    imf_run -v -f denoise noisy.ppm -o a.ppm
    [ "$status" -eq 0 ]
    sigma=$(sed -n 's/^imfilter: noisy.ppm: noise of sigma 0\.[0-9]* of full scale (\([0-9.]*\) of 255)$/\1/p' <<<"$stderr")
    awk -v sigma="$sigma" 'BEGIN { exit !(sigma > 19 && sigma < 21) }'
    imf_run --json -f denoise:auto deep.ppm -o a.ppm
    [[ $output == *'"found":"noise of sigma 0.07'*' of full scale ('*' of 65535)"'* ]]
    imf_run --json -f denoise:0.08 noisy.ppm -o a.ppm
    [[ $output != *'"found"'* ]]
    imf_run -v -f denoise:0.08 noisy.ppm -o a.ppm
    [[ $stderr != *"noise of sigma"* ]]
}

@test "over the limit it is told what does not measure the whole picture" {
    make_flat a.pgm 4000 3000
    imf_run -f denoise --max-memory=40M a.pgm -o b.pgm
    [ "$status" -eq 1 ]
    one_line "over the limit of 40 MiB (raise it with --max-memory; denoise:SIGMA, as denoise:2%, does not measure the whole image)"
    imf -f denoise:2% --max-memory=40M a.pgm -o b.pgm
    imf_run -f lowpass:0.1 --max-memory=40M a.pgm -o b.pgm
    one_line "over the limit of 40 MiB (raise it with --max-memory)"
}

@test "a picture without noise, and sigma 0, leave the samples as they are" {
    printf 'P2\n5 4\n255\n%s\n' "$(yes 77 | head -20 | tr '\n' ' ')" >flat.pgm
    for spec in denoise denoise:quality=best; do
        imf -f $spec flat.pgm -o b.pgm
        [ "$(samples flat.pgm)" = "$(samples b.pgm)" ]
        imf -f "${spec/denoise/denoise:0}" "$TESTDATA/noise-rgb.png" -o b.png
        [ "$(samples "$TESTDATA/noise-rgb.png")" = "$(samples b.png)" ]
    done
}

@test "alpha is kept, or filtered as one more channel" {
    make_pictures
    python3 - <<'END'
import numpy as np
pixels = np.frombuffer(open("noisy.ppm", "rb").read()[-96000:], "u1").reshape(-1, 3)
alpha = np.arange(len(pixels))[:, None] % 251
open("a.pam", "wb").write(b"P7\nWIDTH 200\nHEIGHT 160\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" +
                          np.concatenate([pixels, alpha], axis=1).astype("u1").tobytes())
END
    imf -f denoise:0.08 --alpha=keep a.pam -o b.pam
    imf -f denoise:0.08 noisy.ppm -o b.ppm
    python3 - <<'END'
import numpy as np
a, b = (np.frombuffer(open(name, "rb").read()[-128000:], "u1").reshape(-1, 4) for name in ("a.pam", "b.pam"))
c = np.frombuffer(open("b.ppm", "rb").read()[-96000:], "u1").reshape(-1, 3)
assert (a[:, 3] == b[:, 3]).all() and (b[:, :3] == c).all()
END
    for alpha in auto filter premultiply; do
        imf -f denoise:0.08 --alpha=$alpha --verify a.pam -o c.pam
    done
    # Where nothing is hidden, the image's colours count as with --alpha=keep.
    python3 - <<'END'
data = bytearray(open("a.pam", "rb").read())
data[-128000 + 3::4] = bytes(v or 1 for v in data[-128000 + 3::4])
open("seen.pam", "wb").write(data)
END
    imf -f denoise:0.08 seen.pam -o auto.pam
    imf -f denoise:0.08 --alpha=keep seen.pam -o keep.pam
    cmp auto.pam keep.pam
}

@test "denoise is within the contract at every edge, in chains and in bands" {
    make_pictures
    for edge in clamp reflect mirror wrap constant:0.3; do
        imf -f denoise:0.08 -f denoise:0.01:quality=best --edge=$edge --verify noisy.ppm -o b.ppm
    done
    for chain in 'median:1 -f denoise' 'blur:1 -f denoise:0.02:quality=best -f unsharp' 'denoise --linear' 'gray -f denoise:quality=best'; do
        for file in noisy.ppm deep.ppm; do
            imf -f $chain --verify $file -o b.ppm
        done
    done
    imf -q -f denoise:0.08 --backend=cpu noisy.ppm -o cpu.ppm
    imf -q -f denoise:0.08 noisy.ppm -o vector.ppm
    python3 - <<'END'
import numpy as np
a, b = (np.frombuffer(open(name, "rb").read()[-96000:], "u1").astype(int) for name in ("cpu.ppm", "vector.ppm"))
assert np.abs(a - b).max() <= 1 and (a != b).mean() < 1e-3
END
}

@test "threads and memory change no byte of what streams" {
    need_python numpy
    python3 -c "
import numpy as np
noise = np.random.default_rng(4).normal(120, 20, (1500, 700, 3))
open('tall.ppm', 'wb').write(b'P6 700 1500 255\n' + np.clip(noise, 0, 255).astype('u1').tobytes())"
    for spec in denoise:0.08 denoise:0.08:quality=best; do
        imf_run --explain -f $spec tall.ppm -o a.ppm
        [[ $output == *"rows stream"* ]]
        imf -f $spec --jobs=1 tall.ppm -o b.ppm
        cmp a.ppm b.ppm
        cat tall.ppm | "$IMFILTER" -q -f $spec - -o - --max-memory=90M | cmp - a.ppm
    done
    imf_run --explain -f denoise tall.ppm -o a.ppm
    [[ $output == *"the whole image is in memory: the filter takes all of it at once"* ]]
}

@test "what --explain says of it, and how it is refused" {
    need_opencl
    imf_run --explain -f denoise:0.1 -f denoise:0.1:quality=best "$TESTDATA/noise-rgb.png" -o a.png
    [[ $output == *"* 1     vector  "*"sliding cosine transforms, 8x8"* ]]
    [[ $output == *"* 2     vector  "*"cosine transforms of like blocks, groups of 16"* ]]
    [[ $output == *" 1     cpu  "*"plain C sliding cosine transforms, float64"* ]]
    imf_run --backend=fft -f denoise "$TESTDATA/noise-rgb.png" -o a.png
    [ "$status" -ne 0 ]
    [[ $stderr == *"removing noise is not linear"* ]]
    rm -f a.png
    for spec in denoise:25 denoise:-1 denoise:0.1:quality=good denoise:some denoise:0.1:0.2; do
        imf_run -f $spec "$TESTDATA/noise-rgb.png" -o a.png
        [ "$status" -eq 2 ]
        [ ! -e a.png ]
    done
    imf_run -f denoise:25 "$TESTDATA/noise-rgb.png" -o a.png
    [[ $stderr == *"(25 of 255 is 0.098)"* ]]
}
