/*
 * team.h - which lane takes which part of an image (lanes.h), and what the threads of one run share
 */
#ifndef IMF_RUN_TEAM_H
#define IMF_RUN_TEAM_H

#include "run/executor.h"
#include "run/lanes.h"
#include "run/worker.h"

enum imf_place_state {
    IMF_PLACE_EMPTY,
    IMF_PLACE_READ,
    IMF_PLACE_TAKEN,
    IMF_PLACE_MADE,
    IMF_PLACE_HANDED
};

/* Rows of the image that a part is made of. */
struct imf_team_rows {
    int first, end;
};

/* Where a part is from when it is read until it is written. */
struct imf_place {
    char *in, *out; /* rows without gaps */
    enum imf_place_state state;
};

struct imf_team;
/* A lane at work. */
struct imf_member {
    struct imf_team *team;
    struct imf_lane *lane;
    pthread_t thread;
    bool started, gone;    /* gone: it makes nothing any more */
    bool waits;            /* for a part, */
    unsigned long since;   /* its number among all that ever waited */
    int held[IMF_ENDS];    /* parts that it is at, the older one first */
    int holds;             /* how many */
    double last, least_ms; /* when it had done a part, and its shortest time for one */
    struct imf_report report;
};

struct imf_team {
    const struct imf_lanes_run *run;
    int bands; /* parts */
    struct imf_team_rows *range;
    size_t in_row, out_row;
    struct imf_place *place;
    int places;
    struct imf_member *member;
    struct imf_worker decode, encode;
    pthread_mutex_t lock; /* of what follows, of places' states, and of members' but for times */
    pthread_cond_t changed;
    unsigned long waited; /* members, ever */
    int read, handed;     /* parts that were read, and given to the writer */
    bool stop;
    struct imf_error failure; /* why */
};

static inline struct imf_place *imf_team_place(const struct imf_team *t, int part) {
    return &t->place[part % t->places];
}

/* Stop all of it, for the first reason given. */
void imf_team_stop(struct imf_team *team, const struct imf_error *why);
/* From now on the member waits for a part. With the lock, or before there are threads. */
void imf_team_wait(struct imf_member *member);
/* Take a part; -1: there is none for it, now or, where it holds no other, ever. */
int imf_team_take(struct imf_member *member);
/* The oldest part that it holds is made: what can be written is given to the writer. */
void imf_team_hand_over(struct imf_member *member);
/* It makes no more: its parts are the others'. */
void imf_team_leave(struct imf_member *member, const struct imf_error *why);

#endif
