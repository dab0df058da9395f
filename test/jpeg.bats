# JPEG: what a file of another program carries, and what is left of it, by other programs' word.
load helper

FOREIGN=$TESTDATA/foreign

@test "XMP in a JPEG, as exiftool writes it, goes to JPEG and to PNG" {
    for out in out.jpg out.png; do
        imf -f sharpen "$FOREIGN/xmp.jpg" -o "$out"
        grep -a -q '<rdf:li>Someone</rdf:li>' "$out"
        imf -f sharpen --strip=xmp "$FOREIGN/xmp.jpg" -o "bare-$out"
        run ! grep -a -q Someone "bare-$out"
    done
    imf -f sharpen out.png -o back.jpg
    grep -a -q '<rdf:li>Someone</rdf:li>' back.jpg
}

@test "XMP: exiftool reads the same from every copy" {
    command -v exiftool >/dev/null || skip "exiftool reads the metadata"
    exiftool -XMP:all -G1 "$FOREIGN/xmp.jpg" >want
    grep -q Someone want
    imf -f sharpen "$FOREIGN/xmp.jpg" -o out.jpg
    imf -f sharpen out.jpg -o out.png
    imf -f sharpen out.png -o back.jpg
    for out in out.jpg out.png back.jpg; do
        exiftool -XMP:all -G1 "$out" | diff want -
    done
}
