# Gain-map photos (Ultra HDR, ISO 21496-1): a JPEG that a second one follows, and what claims it.
#
# cjpeg makes both images, exiftool puts in the XMP and judges what comes out; the list of images
# (MPF, CIPA DC-007) is made here, number by number.
load helper

need() {
    local p
    for p in cjpeg djpeg exiftool; do
        command -v "$p" >/dev/null || skip "$p makes or checks the photo"
    done
}

hex() { # NUMBER: four bytes, big-endian, for printf
    printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) \
        $(($1 >> 8 & 255)) $(($1 & 255))
}

gain_xmp() { # LENGTH: of the second image
    cat <<XMP
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about=""
 xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"
 xmlns:Container="http://ns.google.com/photos/1.0/container/"
 xmlns:Item="http://ns.google.com/photos/1.0/container/item/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 hdrgm:Version="1.0" dc:format="image/jpeg">
 <Container:Directory><rdf:Seq>
  <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>
  <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="$1"/></rdf:li>
 </rdf:Seq></Container:Directory>
 <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Sunset</rdf:li></rdf:Alt></dc:title>
</rdf:Description></rdf:RDF></x:xmpmeta>
XMP
}

# The photo in.jpg of first.jpg and gain.jpg.
make_photo() { # CJPEG-OPTION...
    local head=20 segment=126 size at gain
    imf -f kernel:1 "$TESTDATA/still.jpg" -o in.ppm
    cjpeg "$@" in.ppm >first.jpg
    cjpeg -grayscale -quality 70 in.ppm >gain.jpg
    gain=$(stat -c %s gain.jpg)
    gain_xmp "$gain" >gain.xmp
    exiftool -q -overwrite_original '-xmp<=gain.xmp' first.jpg
    size=$(($(stat -c %s first.jpg) + segment))
    at=$((head + 8))
    {
        head -c "$head" first.jpg
        printf '\xff\xe2\x00\x58MPF\x00MM\x00\x2a\x00\x00\x00\x08\x00\x03'
        printf '\xb0\x00\x00\x07\x00\x00\x00\x040100'
        printf '\xb0\x01\x00\x04\x00\x00\x00\x01\x00\x00\x00\x02'
        printf '\xb0\x02\x00\x07\x00\x00\x00\x20\x00\x00\x00\x32\x00\x00\x00\x00'
        # shellcheck disable=SC2059 # bytes
        printf "\x00\x03\x00\x00$(hex "$size")\x00\x00\x00\x00\x00\x00\x00\x00"
        # shellcheck disable=SC2059 # bytes
        printf "\x00\x00\x00\x00$(hex "$gain")$(hex $((size - at)))\x00\x00\x00\x00"
        printf '\xff\xe2\x00\x22urn:iso:std:iso:ts:21496:-1\x00\x00\x00\x00\x00'
        tail -c "+$((head + 1))" first.jpg
        cat gain.jpg
    } >in.jpg
}

# Nothing in FILE claims a second image, and the rest of the XMP is there.
claims_nothing() { # FILE
    ! grep -a -q 'MPF\|urn:iso:std\|hdr-gain-map\|GainMap\|Container' "$1" || return 1
    [ "$(exiftool -b -MPImage2 "$1" | wc -c)" -eq 0 ]
    [ "$(exiftool -s3 -XMP-dc:Title "$1")" = Sunset ]
    [ "$(exiftool -s3 -XMP-dc:Format "$1")" = image/jpeg ]
}

@test "the photo is one: exiftool finds its second image" {
    need
    make_photo
    exiftool -b -MPImage2 in.jpg | cmp - gain.jpg
    [ "$(exiftool -s3 -XMP-dc:Title in.jpg)" = Sunset ]
    [ "$(exiftool -s3 -MPF:NumberOfImages in.jpg)" = 2 ]
}

@test "a gain map is kept byte for byte where exiftool looks for it" {
    need
    for kind in -baseline -progressive; do
        make_photo "$kind"
        for options in '' --optimize '--quality=30 --strip=icc'; do
            # shellcheck disable=SC2086 # words
            imf_run -f sharpen $options in.jpg -o out.jpg
            [ "$status" -eq 0 ]
            [ -z "$stderr" ]
            exiftool -b -MPImage2 out.jpg | cmp - gain.jpg
            [ "$(exiftool -s3 -MPF:NumberOfImages out.jpg)" = 2 ]
            # the first image ends where the list says, and the second begins where XMP implies
            size=$(stat -c %s out.jpg) gain=$(stat -c %s gain.jpg)
            [ "$(exiftool -s3 -MPImage1:MPImageLength out.jpg)" -eq $((size - gain)) ]
            tail -c "$gain" out.jpg | cmp - gain.jpg
            head -c $((size - gain)) out.jpg >first-out.jpg
            [ "$(tail -c 2 first-out.jpg | od -An -tx1 | tr -d ' ')" = ffd9 ]
            grep -a -q "Item:Length=\"$gain\"" out.jpg
            grep -a -q 'urn:iso:std:iso:ts:21496:-1' out.jpg
            djpeg first-out.jpg >/dev/null
        done
    done
    imf -f kernel:1 - -o - <in.jpg >piped.jpg
    exiftool -b -MPImage2 piped.jpg | cmp - gain.jpg
}

@test "a gain map that cannot be kept goes with all that claims it, and one warning" {
    need
    make_photo
    imf_run -f sharpen in.jpg -o out.png
    [ "$status" -eq 0 ]
    one_line "warning: left out: picture behind the end (JPEG) ("
    claims_nothing out.png
    imf_run -f sharpen --strip in.jpg -o out.jpg
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(exiftool -b -MPImage2 out.jpg | wc -c)" -eq 0 ]
    run ! grep -a -q 'MPF\|urn:iso:std\|GainMap' out.jpg
    head -c $(($(stat -c %s in.jpg) - $(stat -c %s gain.jpg))) in.jpg >turned.jpg
    exiftool -q -m -overwrite_original -n -EXIF:Orientation=6 turned.jpg
    cat turned.jpg gain.jpg >in6.jpg
    imf_run -f sharpen --orient=apply in6.jpg -o out6.jpg
    [ "$status" -eq 0 ]
    one_line "the image is turned"
    claims_nothing out6.jpg
    imf_run -f blur:12 --region=64x64+8+8 -i in.jpg
    [ "$status" -eq 0 ]
    one_line "warning: left out: list of further pictures (MPF) ("
    [[ $stderr == *", mark of a gain map ("*", picture behind the end (JPEG) ("*": it would show what a region, a mask or a blur hides)" ]]
    claims_nothing in.jpg
}

@test "claims of a second image that is not there, or cut short, go too" {
    need
    make_photo
    size=$(stat -c %s in.jpg) gain=$(stat -c %s gain.jpg)
    for behind in 0 $((gain - 1)); do
        head -c $((size - gain + behind)) in.jpg >short.jpg
        imf_run -f sharpen short.jpg -o out.jpg
        [ "$status" -eq 0 ]
        one_line "warning: left out: "
        claims_nothing out.jpg
        [ "$(djpeg out.jpg | head -c 10 | head -n 2 | tail -n 1)" = "640 427" ]
    done
}

@test "a picture behind an image that does not claim it is kept" {
    need
    make_photo
    cjpeg in.ppm >bare.jpg
    cat bare.jpg gain.jpg >odd.jpg
    imf_run -f kernel:1 odd.jpg -o out.jpg
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    imf -f kernel:1 bare.jpg -o want.jpg
    cat want.jpg gain.jpg | cmp - out.jpg
}
