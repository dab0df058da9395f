/*
 * team.c - which lane takes which part of an image
 *
 * The part that is next goes to the lane that has waited for the longest. Results leave in order,
 * from a bounded number of places, and so a lane that is much slower than the others would keep them
 * waiting for its part: it takes none that they would sooner have done with all that they can do
 * before they have to wait.
 */
#include "run/team.h"

#include "base/clock.h"

#include <math.h>

void imf_team_stop(struct imf_team *t, const struct imf_error *why) {
    pthread_mutex_lock(&t->lock);
    if (!t->stop)
        t->failure = *why;
    t->stop = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* ---- with the lock held ---------------------------------------------------------------------- */

/* Would the others have done sooner what can be done from part n on than this one that part? They
 * are at one each. It is told by what the quickest parts took, as first ones compile. */
static bool is_slow(const struct imf_team *t, const struct imf_member *m, int n) {
    int parts = imf_min(t->bands - n, t->places - 1);
    double rate = 0, least = INFINITY;
    for (int i = 0; i < t->run->count; i++) {
        const struct imf_member *k = &t->member[i];
        if (k == m || k->gone || k->lane->parts < 2)
            continue;
        parts++;
        rate += 1 / k->least_ms;
        least = fmin(least, k->least_ms);
    }
    return rate > 0 && m->lane->parts > 1 && m->least_ms > fmax(least, parts / rate);
}

/* Has another lane waited for longer that would take part n? */
static bool is_others_turn(const struct imf_team *t, const struct imf_member *m, int n) {
    for (int i = 0; i < t->run->count; i++) {
        const struct imf_member *k = &t->member[i];
        if (k != m && !k->gone && k->waits && (!m->waits || k->since < m->since) &&
            !is_slow(t, k, n))
            return true;
    }
    return false;
}

/* The first part that is read and not taken, or -1. */
static int next_part(const struct imf_team *t) {
    for (int n = t->handed; n < t->read; n++)
        if (imf_team_place(t, n)->state == IMF_PLACE_READ)
            return n;
    return -1;
}

void imf_team_wait(struct imf_member *m) {
    m->waits = true;
    m->since = m->team->waited++;
}

int imf_team_take(struct imf_member *m) {
    struct imf_team *t = m->team;
    double begin = imf_now_ms();
    int n = -1;
    pthread_mutex_lock(&t->lock);
    if (!m->holds && !m->waits)
        imf_team_wait(m);
    while (!t->stop && t->handed < t->bands) {
        n = next_part(t);
        if (n >= 0 && !is_others_turn(t, m, n) && !is_slow(t, m, n))
            break;
        n = -1;
        if (m->holds)
            break;
        pthread_cond_wait(&t->changed, &t->lock);
    }
    m->waits = false;
    if (n >= 0) {
        imf_team_place(t, n)->state = IMF_PLACE_TAKEN;
        m->held[m->holds++] = n;
    }
    pthread_cond_broadcast(&t->changed); /* it may be another's turn */
    pthread_mutex_unlock(&t->lock);
    m->report.compute_wait_ms += imf_now_ms() - begin;
    return n;
}

void imf_team_hand_over(struct imf_member *m) {
    struct imf_team *t = m->team;
    double now = imf_now_ms();
    int gives = 0;
    pthread_mutex_lock(&t->lock);
    imf_team_place(t, m->held[0])->state = IMF_PLACE_MADE;
    m->held[0] = m->held[1];
    m->holds--;
    m->least_ms = fmin(m->least_ms, fmax(now - m->last, 1e-3));
    m->last = now;
    m->lane->parts++;
    for (; t->handed < t->bands && imf_team_place(t, t->handed)->state == IMF_PLACE_MADE;
         t->handed++, gives++)
        imf_team_place(t, t->handed)->state = IMF_PLACE_HANDED;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    while (gives-- > 0)
        imf_worker_give(&t->encode);
}

void imf_team_leave(struct imf_member *m, const struct imf_error *why) {
    struct imf_team *t = m->team;
    bool others = false;
    pthread_mutex_lock(&t->lock);
    m->gone = true;
    m->waits = false;
    for (; m->holds; m->holds--)
        imf_team_place(t, m->held[m->holds - 1])->state = IMF_PLACE_READ;
    for (int i = 0; i < t->run->count; i++)
        others = others || !t->member[i].gone;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    if (!others)
        imf_team_stop(t, why);
}
