/*
 * foreign.c - kernels as other programs write them: told from ours, with the spelling that does
 *
 * ImageMagick has "3x3:0,-1,0,-1,5,-1,0,-1,0", MATLAB "[0 -1 0;-1 5 -1;0 -1 0]", NumPy
 * "[[0,-1,0],[-1,5,-1],[0,-1,0]]", and a matrix file of vips begins with a line of width, height,
 * scale and offset. They are refused rather than read: ImageMagick's Convolve turns its kernel, a
 * matrix file's first line may be a row as well.
 *
 * The origin is another matter: ours is at W/2, as in OpenCV and SciPy; MATLAB's at (W - 1)/2, and
 * so is ImageMagick's, or where "WxH+X+Y" says. Columns and rows of zeros move ours there.
 */
#include "filter/flt/foreign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Room for the beginning of the spelling; what is longer ends in "...". */
#define SPELLED 100

#define PLAINLY "here rows are 1,2,1/2,4,2 (in a file lines), of plain numbers"
#define ORIGIN " (zeros put the origin in its place)"

/* A kernel as it is written elsewhere: `height` rows of `width` cells, origin at x, y. */
struct foreign {
    struct imf_span cells;
    long width, height, x, y;
};

struct spelling {
    char text[SPELLED];
    size_t used;
    bool full;
};

/* ---- cells ---------------------------------------------------------------------------------- */

static bool is_separator(char c) {
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '[' ||
           c == ']';
}

/* The next cell of *s, empty at its end; *row says that a ';' or NumPy's ']' stood before it. */
static struct imf_span next_cell(struct imf_span *s, bool *row) {
    *row = false;
    while (s->length > 0 && is_separator(*s->text)) {
        *row |= *s->text == ';' || *s->text == ']';
        s->text++, s->length--;
    }
    struct imf_span cell = {s->text, 0};
    while (s->length > 0 && !is_separator(*s->text)) {
        cell.length++;
        s->text++, s->length--;
    }
    return cell;
}

/* ImageMagick's marks for a cell that does not count. */
static bool is_hole(struct imf_span cell) {
    return imf_span_is(cell, "-") || imf_span_is(cell, "nan");
}

/* Are all cells of *f numbers, `*count` in all, in rows of equal length? */
static bool measure(struct foreign *f, long *count) {
    struct imf_span rest = f->cells, cell;
    long in_row = 0;
    bool row;
    double value;
    *count = f->width = f->height = 0;
    while (cell = next_cell(&rest, &row), cell.length > 0) {
        if (imf_number_parse(cell, &value) && !is_hole(cell))
            return false;
        if (row && *count > 0) {
            if (f->height++ > 0 && in_row != f->width)
                return false;
            f->width = in_row;
            in_row = 0;
        }
        in_row++;
        ++*count;
    }
    if (f->height++ > 0 && in_row != f->width)
        return false;
    f->width = in_row;
    return *count > 0;
}

/* ---- spelling ------------------------------------------------------------------------------- */

static void add(struct spelling *s, struct imf_span piece) {
    for (size_t i = 0; i < piece.length && !s->full; i++) {
        s->full = s->used + 5 > SPELLED;
        if (s->full)
            memcpy(s->text + s->used, "...", 4);
        else
            s->text[s->used++] = piece.text[i];
    }
    if (!s->full)
        s->text[s->used] = '\0';
}

/* A coefficient in column `j`. */
static void add_cell(struct spelling *s, long j, struct imf_span cell) {
    if (s->used > 0)
        add(s, (struct imf_span){j == 0 ? "/" : ",", 1});
    add(s, is_hole(cell) ? (struct imf_span){"0", 1} : cell);
}

/* Zeros before (*before) and behind that put our origin, (size + both) / 2, at *before + at. */
static long zeros(long size, long at, long *before) {
    long behind = 2 * at - size;
    *before = size - 2 * at - 1;
    if (*before < 0)
        *before = 0;
    return behind > 0 ? behind : 0;
}

/* As we write it. Returns whether zeros were added. */
static bool spell(struct spelling *s, const struct foreign *f) {
    struct imf_span rest = f->cells;
    long left, top, width, height;
    width = f->width + zeros(f->width, f->x, &left);
    height = f->height + zeros(f->height, f->y, &top);
    width += left;
    height += top;
    for (long i = 0; i < height && !s->full; i++)
        for (long j = 0; j < width && !s->full; j++) {
            bool row, inside = i >= top && i < top + f->height && j >= left && j < left + f->width;
            add_cell(s, j, inside ? next_cell(&rest, &row) : (struct imf_span){"0", 1});
        }
    return width > f->width || height > f->height;
}

/* ---- the programs --------------------------------------------------------------------------- */

/*
 * ImageMagick's "WxH" or "WxH+X+Y", perhaps with a mark (one of "@<>^") that makes a list of turned
 * kernels of it. Without X or Y the origin is in the middle, the upper or left one of two.
 */
static bool read_geometry(struct imf_span s, struct foreign *f, bool *list) {
    char text[32];
    int used = 0;
    *list = s.length > 0 && strchr("@<>^", s.text[s.length - 1]);
    s.length -= *list;
    if (s.length >= sizeof text)
        return false;
    memcpy(text, s.text, s.length);
    text[s.length] = '\0';
    if (sscanf(text, "%4ldx%4ld%n", &f->width, &f->height, &used) != 2 || f->width < 1 ||
        f->height < 1)
        return false;
    f->x = (f->width - 1) / 2;
    f->y = (f->height - 1) / 2;
    long *origin[] = {&f->x, &f->y};
    const char *p = text + used;
    for (int i = 0; i < 2 && (*p == '+' || *p == '-'); i++) {
        if (sscanf(p, "%5ld%n", origin[i], &used) != 1)
            return false;
        p += used;
    }
    return *p == '\0';
}

static void imagemagick(struct foreign *f, bool list, char why[IMF_FOREIGN_WHY]) {
    static const char *way = "is ImageMagick's way";
    struct foreign found = {.cells = f->cells};
    struct spelling s = {0};
    long count;
    bool numbers = measure(&found, &count);
    if (list || memchr(f->cells.text, ';', f->cells.length))
        snprintf(why, IMF_FOREIGN_WHY, "%s of several kernels: here each is a filter", way);
    else if (!numbers)
        snprintf(why, IMF_FOREIGN_WHY, "%s: " PLAINLY, way);
    else if (count != f->width * f->height)
        snprintf(why, IMF_FOREIGN_WHY, "%s, with %ld coefficient%s where %ldx%ld needs %ld", way,
                 count, count == 1 ? "" : "s", f->width, f->height, f->width * f->height);
    else if (f->x < 0 || f->x >= f->width || f->y < 0 || f->y >= f->height)
        snprintf(why, IMF_FOREIGN_WHY, "%s, with its origin outside of %ldx%ld", way, f->width,
                 f->height);
    else {
        bool moved = spell(&s, f);
        snprintf(why, IMF_FOREIGN_WHY,
                 "%s: here it is kernel:%s%s (and :flip for what its Convolve does, nothing for "
                 "its Correlate)",
                 way, s.text, moved ? ORIGIN : "");
    }
}

/* "[1 2 1;2 4 2;1 2 1]" or its rows without the brackets, or "[[1,2,1],[2,4,2],[1,2,1]]", perhaps
 * divided by a number; arguments of ours may follow. */
static void matlab_or_numpy(struct imf_span all, char why[IMF_FOREIGN_WHY]) {
    const char *colon = memchr(all.text, ':', all.length);
    const char *end = colon ? colon : all.text + all.length;
    const char *close = memrchr(all.text, ']', (size_t)(end - all.text));
    bool numpy = all.length > 1 && all.text[1] == '[';
    const char *cells_end = close ? close : end;
    struct foreign f = {.cells = {all.text, (size_t)(cells_end - all.text)}};
    struct imf_span by = {end, 0};
    struct spelling s = {0};
    long count;
    double value;
    bool plain = (close || *all.text != '[') && measure(&f, &count);
    if (plain && close && close + 1 < end) {
        by = (struct imf_span){close + 2, (size_t)(end - close - 2)};
        plain = close[1] == '/' && !imf_number_parse(by, &value);
    }
    const char *whose = numpy ? "NumPy" : "MATLAB";
    if (!plain) {
        snprintf(why, IMF_FOREIGN_WHY, "is %s's way: " PLAINLY, whose);
        return;
    }
    f.x = numpy ? f.width / 2 : (f.width - 1) / 2;
    f.y = numpy ? f.height / 2 : (f.height - 1) / 2;
    bool moved = spell(&s, &f);
    snprintf(why, IMF_FOREIGN_WHY, "is %s's way: here it is kernel:%s%s%.*s%s", whose, s.text,
             by.length > 0 ? ":scale=" : "", by.length > 20 ? 20 : (int)by.length, by.text,
             moved ? ORIGIN : "");
}

bool imf_foreign_matrix(struct imf_span s, char why[IMF_FOREIGN_WHY]) {
    const char *colon = memchr(s.text, ':', s.length), *end = s.text + s.length;
    struct foreign f = {0};
    bool list;
    if (colon && read_geometry((struct imf_span){s.text, (size_t)(colon - s.text)}, &f, &list)) {
        const char *next = memchr(colon + 1, ':', (size_t)(end - colon - 1));
        f.cells = (struct imf_span){colon + 1, (size_t)((next ? next : end) - colon - 1)};
        imagemagick(&f, list, why);
        return true;
    }
    size_t matrix = colon ? (size_t)(colon - s.text) : s.length;
    bool rows = memchr(s.text, ';', matrix) && strchr("+-.0123456789", s.text[0]);
    if (!rows && (s.length == 0 || s.text[0] != '['))
        return false;
    matlab_or_numpy(s, why);
    return true;
}

bool imf_foreign_bare(const char *name, char why[IMF_FOREIGN_WHY]) {
    struct imf_span all = {name, strlen(name)};
    if (!strchr("[+-.0123456789", name[0]) || !strpbrk(name, ",;") ||
        name[strspn(name, "+-.0123456789eE,;/[] ")])
        return false;
    if (!imf_foreign_matrix(all, why))
        snprintf(why, IMF_FOREIGN_WHY, "is a kernel: write kernel:%.80s%s", name,
                 all.length > 80 ? "..." : "");
    return true;
}

bool imf_foreign_header(const struct imf_rows *r) {
    return (r->width == 2 || r->width == 4) && r->taps[0] == rint(r->taps[0]) &&
           r->taps[1] == rint(r->taps[1]) && r->taps[0] >= 1 && r->taps[1] >= 1;
}
