"""The rule of a row from its look-alikes: as few sides of the box as make it no less precise.

Class counts of one to three sides are looked up in sums; of more, the rows on all of them are
counted as bits.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from picrules.kernels.alike import has_better_odds
from picrules.kernels.around import all_runs, count_class, find_ranges
from picrules.kernels.bits import popcount
from picrules.kernels.jit import inner_kernel, kernel

# Class counts that rules of one to three sides are looked up in; the last column is their sum.
# singles       int32 (n_bounds, n_classes + 1)  of `Bits.below`
# pairs         int32 flat                       below the bounds of every two features, (n_bounds,
#                                                n_bounds, n_classes + 1), one after the other;
#                                                empty where there are too many
# pair_first    int64 (n_features, n_features)   where those of two features begin
# triples       int32 flat                       the same for every three features
# triple_first  int64 (n_features, n_features, n_features)
Sums = namedtuple("Sums", "singles pairs pair_first triples triple_first")  # noqa: PYI024


@kernel()
def add_up_pairs(codes, labels, occurrences, first, sums):
    """Count the rows below every two bounds of every two features, by class; fill `sums.pairs`.

    codes  int32 (n_features, n_rows)  -1 is missing
    """
    width = sums.singles.shape[1]
    for one in range(codes.shape[0]):
        n_one = first[one + 1] - first[one]
        for other in range(one + 1, codes.shape[0]):
            n_other = first[other + 1] - first[other]
            begin = sums.pair_first[one, other]
            table = sums.pairs[begin : begin + n_one * n_other * width]
            table[:] = 0
            for row in range(codes.shape[1]):
                left, right = codes[one, row] + 1, codes[other, row] + 1
                if left > 0 and right > 0:
                    at = (left * n_other + right) * width
                    table[at + labels[row]] += occurrences[row]
                    table[at + width - 1] += occurrences[row]
            for at in range(n_other * width, n_one * n_other * width):
                table[at] += table[at - n_other * width]
            for start in range(0, n_one * n_other * width, n_other * width):
                for at in range(start + width, start + n_other * width):
                    table[at] += table[at - width]


@kernel()
def add_up_triples(codes, labels, occurrences, first, sums):
    """Count the rows below every three bounds of every three features; fill `sums.triples`.

    codes  int32 (n_features, n_rows)  -1 is missing
    """
    width, n_features = sums.singles.shape[1], codes.shape[0]
    for one in range(n_features):
        for two in range(one + 1, n_features):
            n_two = first[two + 1] - first[two]
            for three in range(two + 1, n_features):
                step = (first[three + 1] - first[three]) * width
                n_entries = (first[one + 1] - first[one]) * n_two * step
                begin = sums.triple_first[one, two, three]
                table = sums.triples[begin : begin + n_entries]
                table[:] = 0
                for row in range(codes.shape[1]):
                    left, middle, right = codes[one, row], codes[two, row], codes[three, row]
                    if left >= 0 and middle >= 0 and right >= 0:
                        at = ((left + 1) * n_two + middle + 1) * step + (right + 1) * width
                        table[at + labels[row]] += occurrences[row]
                        table[at + width - 1] += occurrences[row]
                for at in range(n_two * step, n_entries):
                    table[at] += table[at - n_two * step]
                for at in range(step, n_entries):
                    if at % (n_two * step) >= step:
                        table[at] += table[at - step]
                for at in range(width, n_entries):
                    if at % step >= width:
                        table[at] += table[at - width]


@inner_kernel()
def count_single(sums, one, uppers, lowers, column):
    """Count the rows on the side of a feature, of one class or of all (the last column)."""
    singles = sums.singles
    return np.int64(singles[uppers[one], column] - singles[lowers[one], column])


@inner_kernel()
def count_pair(sums, bits, one, other, uppers, lowers, column):
    """Count the rows on the sides of two features, of one class or of all (the last column)."""
    pairs, pair_first, first, width = sums.pairs, sums.pair_first, bits.first, sums.singles.shape[1]
    low, high = min(one, other), max(one, other)
    n_high, begin = first[high + 1] - first[high], pair_first[low, high] + column
    above = begin + (uppers[low] - first[low]) * n_high * width
    under = begin + (lowers[low] - first[low]) * n_high * width
    right, left = (uppers[high] - first[high]) * width, (lowers[high] - first[high]) * width
    return between(pairs, above, right, left) - between(pairs, under, right, left)


@inner_kernel()
def count_triple(sums, bits, one, two, three, uppers, lowers, column):
    """Count the rows on the sides of three features, of one class or of all (the last column)."""
    triples, first, width = sums.triples, bits.first, sums.singles.shape[1]
    triple_first = sums.triple_first
    low, high = min(one, two, three), max(one, two, three)
    middle = one + two + three - low - high
    n_middle, step = first[middle + 1] - first[middle], (first[high + 1] - first[high]) * width
    begin = triple_first[low, middle, high] + column
    upper, lower = (uppers[low] - first[low]) * n_middle, (lowers[low] - first[low]) * n_middle
    above, under = uppers[middle] - first[middle], lowers[middle] - first[middle]
    right, left = (uppers[high] - first[high]) * width, (lowers[high] - first[high]) * width
    return (
        between(triples, begin + (upper + above) * step, right, left)
        - between(triples, begin + (upper + under) * step, right, left)
        - between(triples, begin + (lower + above) * step, right, left)
        + between(triples, begin + (lower + under) * step, right, left)
    )


@inner_kernel()
def between(table, start, right, left):
    """Return what one entry of a table of sums has more than another."""
    return np.int64(table[np.uint64(start + right)]) - np.int64(table[np.uint64(start + left)])


# Space for counting the rows on some sides.
# others          int64 (n_features,)
# uppers, lowers  int64 (n_features,)
# ranges          as in `find_ranges`
# counts          int64 (n_classes,)
# kept            int64 (n_classes,)     counts of the sides chosen so far, where they are known
# hits, sizes     int64 (2, n_features)  what each side more would leave, after an even and after an
#                                        odd number of sides
Spare = namedtuple(  # noqa: PYI024
    "Spare", "others uppers lowers ranges counts kept hits sizes"
)


@inner_kernel()
def runs_of_sides(bits, features, n_sides, uppers, lowers):
    """Return the codes of the leading and of the second feature that some sides hold."""
    order, first = bits.order, bits.first
    low, high, second_low, second_high = all_runs(bits.runs)
    for side in range(n_sides):
        feature = features[side]
        start, stop = lowers[feature] - first[feature], uppers[feature] - first[feature]
        if feature == order[0]:
            low, high = start, stop
        elif feature == order[1]:
            second_low, second_high = start, stop
    return low, high, second_low, second_high


@inner_kernel()
def count_sides(bits, sums, features, n_sides, uppers, lowers, label, spare):
    """Count the rows of a class that lie on all of some sides, and those of all classes.

    features        int64 (n_features,)  the first `n_sides` are looked at, of which there is at
                                         least one
    uppers, lowers  int64 (n_features,)  bounds of each feature's side
    spare           Spare                `counts` may be overwritten, and space for them
    Returns these two, and whether `spare.counts` has the counts of all classes.
    """
    last = bits.class_sizes.shape[0]
    one, two, three = features[0], features[min(n_sides, 2) - 1], features[min(n_sides, 3) - 1]
    is_counted = False
    if n_sides == 1:
        hits = count_single(sums, one, uppers, lowers, label)
        size = count_single(sums, one, uppers, lowers, last)
    elif n_sides == 2 and sums.pairs.shape[0] > 0:
        hits = count_pair(sums, bits, one, two, uppers, lowers, label)
        size = count_pair(sums, bits, one, two, uppers, lowers, last)
    elif n_sides == 3 and sums.triples.shape[0] > 0:
        hits = count_triple(sums, bits, one, two, three, uppers, lowers, label)
        size = count_triple(sums, bits, one, two, three, uppers, lowers, last)
    else:
        hits, size = count_classes(bits, features, n_sides, uppers, lowers, label, spare)
        is_counted = True
    return hits, size, is_counted


@inner_kernel()
def count_classes(bits, features, n_sides, uppers, lowers, own_label, spare):
    """Count the rows of each class on all of some sides; return the two that `count_sides` does."""
    below, table, order = bits.below, bits.runs, bits.order
    own_uppers, own_lowers, counts, ranges = spare.uppers, spare.lowers, spare.counts, spare.ranges
    runs, n_taken = runs_of_sides(bits, features, n_sides, uppers, lowers), 0
    hits, size = np.int64(0), np.int64(0)
    for turn in range(2):  # the second feature last
        for side in range(n_sides):
            feature = features[side]
            if feature != order[0] and (feature == order[1]) == (turn == 1):
                own_uppers[n_taken], own_lowers[n_taken] = uppers[feature], lowers[feature]
                n_taken += 1
    for label in range(counts.shape[0]):
        count = count_class(below, table, label, runs, own_uppers, own_lowers, n_taken, ranges)
        counts[label] = count
        size += count
        hits += count if label == own_label else 0
    return hits, size


# Rows that lie on all sides chosen so far: the words that are not empty.
# words    uint64 (n_words + 1,)
# places   int64  (n_words + 1,)  where they are among all
Remaining = namedtuple("Remaining", "words places")  # noqa: PYI024


@inner_kernel()
def begin_remaining(bits, remaining, uppers, lowers, chosen, n_chosen, ranges):
    """Find the rows on the sides of one to three features; return how many words they take."""
    below, table, words, places = bits.below, bits.runs, remaining.words, remaining.places
    one, two, three = chosen[0], chosen[min(n_chosen, 2) - 1], chosen[n_chosen - 1]
    upper, lower = np.uint64(uppers[one]), np.uint64(lowers[one])
    second_upper, second_lower = np.uint64(uppers[two]), np.uint64(lowers[two])
    third_upper, third_lower = np.uint64(uppers[three]), np.uint64(lowers[three])
    runs, n_words = runs_of_sides(bits, chosen, n_chosen, uppers, lowers), 0
    for label in range(bits.class_sizes.shape[0]):
        end = np.int64(0)
        for each in range(find_ranges(table, label, runs, ranges)[0]):
            # A word may hold the last rows of one range and the first of the next.
            begin, end = max(end, ranges[each, 0] >> 6), (ranges[each, 1] + 63) >> 6
            for place in range(np.uint64(begin), np.uint64(end)):
                word = below[upper, place] ^ below[lower, place]
                word &= below[second_upper, place] ^ below[second_lower, place]
                word &= below[third_upper, place] ^ below[third_lower, place]
                words[n_words], places[n_words] = word, place
                n_words += word != 0
    return n_words


@inner_kernel()
def narrow(bits, remaining, n_words, upper, lower):
    """Keep of the remaining rows those between two bounds; return how many words are left."""
    below, words, places = bits.below, remaining.words, remaining.places
    n_left = 0
    for at in range(n_words):
        place = places[at]
        word = words[at] & (below[upper, place] ^ below[lower, place])
        if word != 0:
            words[n_left], places[n_left] = word, place
            n_left += 1
    return n_left


@inner_kernel()
def count_remaining(bits, remaining, begin, end, upper, lower):
    """Count the remaining rows between two bounds, in a range of the remaining words."""
    below, words, places = bits.below, remaining.words, remaining.places
    high, low = np.uint64(upper), np.uint64(lower)
    total = 0
    for at in range(np.uint64(begin), np.uint64(end)):
        place = np.uint64(places[at])
        total += popcount(words[at] & (below[high, place] ^ below[low, place]))
    return total


@inner_kernel()
def class_range(bits, remaining, n_words, label):
    """Return which of the remaining words hold rows of a class: the first, and after the last."""
    begin = np.searchsorted(remaining.places[:n_words], bits.class_starts[label])
    end = np.searchsorted(remaining.places[:n_words], bits.class_starts[label + 1])
    return begin, end


@inner_kernel()
def choose_sides(
    bits, sums, uppers, lowers, label, is_own, is_left_out, box_hits, box_size, remaining, spare,
    chosen,
):  # fmt: skip
    """Choose sides, that which leaves the best odds first, until they are as precise as the box.

    uppers, lowers  int64 (n_features,)  bounds of each feature's side; -1 where it has none
    spare           Spare                `hits`, `sizes` and `kept` are overwritten
    chosen          int64 (n_features,)  features of the sides, in order; overwritten
    Returns how many there are, and whether the counts of all classes are kept.
    """
    n_features, last, words_left = uppers.shape[0], bits.class_sizes.shape[0], 0
    begin, end, hits, sizes, kept = 0, 0, spare.hits, spare.sizes, spare.kept
    n_chosen, is_enough, is_counted = 0, False, False
    # Sides that are looked up together; of more, the rows that remain are counted.
    has_pairs, has_triples = sums.pairs.shape[0] > 0, sums.triples.shape[0] > 0
    n_looked_up, is_over = 1 + has_pairs + has_triples, False
    while n_chosen < n_features and not is_over:
        turn = n_chosen & 1
        best, best_hits, best_misses = -1, 0, 0
        for feature in range(n_features):
            upper, lower = uppers[feature], lowers[feature]
            if upper < 0:
                continue
            is_chosen = False
            for each in range(n_chosen):
                is_chosen |= chosen[each] == feature
            if is_chosen:
                continue
            if n_chosen == 0:
                hit = count_single(sums, feature, uppers, lowers, label)
                size = count_single(sums, feature, uppers, lowers, last)
            elif n_chosen == 1 and has_pairs:
                hit = count_pair(sums, bits, chosen[0], feature, uppers, lowers, label)
                size = count_pair(sums, bits, chosen[0], feature, uppers, lowers, last)
            elif n_chosen == 2 and has_triples:
                one, two = chosen[0], chosen[1]
                hit = count_triple(sums, bits, one, two, feature, uppers, lowers, label)
                size = count_triple(sums, bits, one, two, feature, uppers, lowers, last)
            else:
                hit = count_remaining(bits, remaining, begin, end, upper, lower)
                size = hit + count_remaining(bits, remaining, 0, begin, upper, lower)
                size += count_remaining(bits, remaining, end, words_left, upper, lower)
            hit, size = hit - is_own, size - is_left_out
            hits[turn, feature], sizes[turn, feature] = hit, size
            if best < 0 or has_better_odds(hit, size - hit, best_hits, best_misses):
                best, best_hits, best_misses = feature, hit, size - hit
        is_over = best < 0
        if not is_over:
            chosen[n_chosen] = best
            n_chosen += 1
            is_enough = best_hits * box_size >= box_hits * (best_hits + best_misses)
            is_over = is_enough
        if is_enough and n_chosen > n_looked_up:
            is_counted = True
            for each in range(last):
                begin, end = class_range(bits, remaining, words_left, each)
                kept[each] = count_remaining(
                    bits, remaining, begin, end, uppers[best], lowers[best]
                )
        elif not is_over and n_chosen >= n_looked_up:
            if n_chosen == n_looked_up:
                words_left = begin_remaining(
                    bits, remaining, uppers, lowers, chosen, n_chosen, spare.ranges
                )
            else:
                words_left = narrow(bits, remaining, words_left, uppers[best], lowers[best])
            begin, end = class_range(bits, remaining, words_left, label)
    return n_chosen, is_counted


@inner_kernel()
def sort_few(values, count):
    """Sort the first of some values; a few are sorted faster so than by what sorts many."""
    for at in range(1, count):
        value, place = values[at], at
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@inner_kernel()
def drop_sides(
    bits, sums, uppers, lowers, label, is_own, is_left_out, box_hits, box_size, chosen, n_chosen,
    is_counted, spare,
):  # fmt: skip
    """Drop sides that others make superfluous, the first feature's first, until none is.

    chosen      int64 (n_features,)  the first `n_chosen` as `choose_sides` left them; sorted, and
                                     those left kept in front
    is_counted  bool                 whether `spare.kept` has the class counts of these
    spare       Spare                overwritten, but for `hits` and `sizes`
    Returns how many are left, and whether their class counts are kept.
    """
    # What was counted before the last side was chosen tells what is left without one of the last
    # two. Without the last it was not enough, or no more would have been chosen.
    final, previous = chosen[n_chosen - 1], chosen[max(n_chosen - 2, 0)]
    turn, is_first, at = n_chosen & 1, True, 0
    others, known_hits, known_sizes = spare.others, spare.hits, spare.sizes
    counts, kept = spare.counts, spare.kept
    sort_few(chosen, n_chosen)
    while at < n_chosen and n_chosen > 1:
        n_others, is_kept = 0, False
        for each in range(n_chosen):
            if each != at:
                others[n_others] = chosen[each]
                n_others += 1
        if is_first and (chosen[at] == final or chosen[at] == previous):
            hits, size = known_hits[turn, final], known_sizes[turn, final]
            is_enough = chosen[at] == previous and hits * box_size >= box_hits * size
        else:
            hits, size, is_kept = count_sides(
                bits, sums, others, n_others, uppers, lowers, label, spare
            )
            is_enough = (hits - is_own) * box_size >= box_hits * (size - is_left_out)
        at += 1
        if is_enough:
            for each in range(n_others):
                chosen[each] = others[each]
            n_chosen, at, is_first, is_counted = n_others, 0, False, is_kept
            for each in range(counts.shape[0]):
                kept[each] = counts[each]
    return n_chosen, is_counted


@kernel()
def shorten_around(
    bits, sums, reach, asked, left_out, steps, pairs, boxes, is_stopped, lengths, features, lows,
    highs, counts,
):  # fmt: skip
    """Choose as few sides of the box around a row as make a rule no less precise, as `shorten`.

    asked        as in `find_around`
    steps        int64 (n_asked,)             how far the boxes reach
    pairs        int64 (n_pairs, 2)           a row, and the class that the rule is for
    boxes        int64 (n_asked, n_classes)   class counts of the boxes, with the rows left out
    lengths      int32 (n_pairs,)             overwritten; 0 where no row of the class is alike
    features     int32 (n_pairs, n_features)  sides of the rule in order; overwritten
    lows, highs  int32 (n_pairs, n_features)  first and last code of each; overwritten
    counts       int64 (n_pairs, n_classes)   class counts of the rules, with the rows left out;
                                              overwritten
    """
    n_features, n_classes = asked.shape[0], bits.class_sizes.shape[0]
    uppers, lowers = np.empty(n_features, np.int64), np.empty(n_features, np.int64)
    chosen, spares = np.empty(n_features, np.int64), np.empty((3, n_features), np.int64)
    ranges, by_class = (
        np.empty((bits.runs.shape[1], 2), np.int64),
        np.empty((2, n_classes), np.int64),
    )
    before = np.empty((2, 2, n_features), np.int64)
    spare = Spare(
        spares[0], spares[1], spares[2], ranges, by_class[0], by_class[1], before[0], before[1]
    )
    n_words = bits.below.shape[1]
    # One more than there are: an empty word is written, and not counted.
    remaining = Remaining(np.empty(n_words + 1, np.uint64), np.empty(n_words + 1, np.int64))
    for pair in range(pairs.shape[0]):
        if is_stopped[0]:
            return
        row, label = pairs[pair, 0], pairs[pair, 1]
        is_own, is_left_out = np.int64(left_out[row] == label), np.int64(left_out[row] >= 0)
        box_hits, box_size = boxes[row, label] - is_own, boxes[row].sum() - is_left_out
        lengths[pair] = 0
        for each in range(n_classes):
            counts[pair, each] = 0
        if box_hits < 1:
            continue
        for feature in range(n_features):
            uppers[feature] = -1
            if asked[feature, row] >= 0:
                at = reach.first[feature] + asked[feature, row]
                if reach.side_lows[at, steps[row]] >= 0:
                    lowers[feature] = bits.first[feature] + reach.side_lows[at, steps[row]]
                    uppers[feature] = bits.first[feature] + reach.side_highs[at, steps[row]] + 1
        n_chosen, is_counted = choose_sides(
            bits, sums, uppers, lowers, label, is_own, is_left_out, box_hits, box_size, remaining,
            spare, chosen,
        )  # fmt: skip
        n_chosen, is_counted = drop_sides(
            bits, sums, uppers, lowers, label, is_own, is_left_out, box_hits, box_size, chosen,
            n_chosen, is_counted, spare,
        )  # fmt: skip
        lengths[pair] = n_chosen
        for each in range(n_chosen):
            feature = chosen[each]
            features[pair, each] = feature
            lows[pair, each] = lowers[feature] - bits.first[feature]
            highs[pair, each] = uppers[feature] - bits.first[feature] - 1
        if n_chosen > 3 and not is_counted:
            count_classes(bits, chosen, n_chosen, uppers, lowers, label, spare)
            for each in range(n_classes):
                spare.kept[each] = spare.counts[each]
        for each in range(n_classes):
            counts[pair, each] = bits.class_sizes[each]
            if n_chosen > 3 or is_counted:
                counts[pair, each] = spare.kept[each]
            elif n_chosen > 0:
                counts[pair, each] = count_sides(
                    bits, sums, chosen, n_chosen, uppers, lowers, each, spare
                )[0]
