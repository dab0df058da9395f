/*
 * sharp.cjs - milliseconds that sharp takes from file to file, in a process that is warm:
 *
 *   NODE_PATH=.../node_modules node sharp.cjs THREADS RUNS SPEC INPUT OUTPUT
 *
 * Prints a line with the milliseconds of each run. SPEC is a filter of imfilter's that sharp has, too;
 * a JPEG is written at quality 90 with halved chroma, a PNG at level 6, which is sharp's default.
 */
'use strict';
const sharp = require('sharp');

const [threads, runs, spec, input, output] = process.argv.slice(2);
const [name, argument] = spec.split(':');
const filters = {
    sharpen: (image) => image.convolve({ width: 3, height: 3, kernel: [0, -1, 0, -1, 5, -1, 0, -1, 0] }),
    blur: (image) => image.blur(Number(argument)),
};

sharp.cache(false);
sharp.concurrency(Number(threads));

async function once() {
    const begin = process.hrtime.bigint();
    let image = filters[name](sharp(input));
    if (output.endsWith('.jpg')) image = image.jpeg({ quality: 90 });
    if (output.endsWith('.png')) image = image.png({ compressionLevel: 6 });
    await image.toFile(output);
    return Number(process.hrtime.bigint() - begin) / 1e6;
}

(async () => {
    if (!filters[name]) throw new Error(`no ${name} here`);
    await once(); // warms up
    for (let run = 0; run < Number(runs); run++) console.log((await once()).toFixed(1));
})().catch((error) => {
    console.error(`sharp.cjs: ${error.message}`);
    process.exit(1);
});
