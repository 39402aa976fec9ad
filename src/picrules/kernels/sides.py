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
def count_pair(sums, bits, one, other, uppers, lowers, column):
    """Count the rows on the sides of two features, of one class or of all (the last column)."""
    if one > other:
        one, other = other, one
    n_other = bits.first[other + 1] - bits.first[other]
    width, pairs = sums.singles.shape[1], sums.pairs
    begin = sums.pair_first[one, other] + column
    above = (uppers[one] - bits.first[one]) * n_other
    under = (lowers[one] - bits.first[one]) * n_other
    right, left = uppers[other] - bits.first[other], lowers[other] - bits.first[other]
    return (
        np.int64(pairs[begin + (above + right) * width])
        - pairs[begin + (above + left) * width]
        - pairs[begin + (under + right) * width]
        + pairs[begin + (under + left) * width]
    )


@inner_kernel()
def count_triple(sums, bits, one, two, three, uppers, lowers, column):
    """Count the rows on the sides of three features, of one class or of all (the last column)."""
    if one > two:
        one, two = two, one
    if two > three:
        two, three = three, two
    if one > two:
        one, two = two, one
    first = bits.first
    n_two, n_three = first[two + 1] - first[two], first[three + 1] - first[three]
    width, triples = sums.singles.shape[1], sums.triples
    begin = sums.triple_first[one, two, three] + column
    right, left = (uppers[three] - first[three]) * width, (lowers[three] - first[three]) * width
    total = np.int64(0)
    for outer in range(2):
        bound = lowers[one] if outer else uppers[one]
        start = (bound - first[one]) * n_two
        above = begin + (start + uppers[two] - first[two]) * n_three * width
        under = begin + (start + lowers[two] - first[two]) * n_three * width
        between = np.int64(triples[above + right]) - triples[above + left]
        between -= np.int64(triples[under + right]) - triples[under + left]
        total += -between if outer else between
    return total


# Space for counting the rows on some sides.
# others          int64 (n_features,)
# uppers, lowers  int64 (n_features,)
# ranges          as in `find_ranges`
# counts          int64 (n_classes,)
Spare = namedtuple("Spare", "others uppers lowers ranges counts")  # noqa: PYI024


@inner_kernel()
def runs_of_sides(bits, features, n_sides, uppers, lowers):
    """Return the codes of the leading and of the second feature that some sides hold."""
    low, high, second_low, second_high = all_runs(bits)
    for side in range(n_sides):
        feature = features[side]
        start, stop = lowers[feature] - bits.first[feature], uppers[feature] - bits.first[feature]
        if feature == bits.order[0]:
            low, high = start, stop
        elif feature == bits.order[1]:
            second_low, second_high = start, stop
    return low, high, second_low, second_high


@inner_kernel()
def count_sides(bits, sums, features, n_sides, uppers, lowers, label, spare):
    """Count the rows of a class that lie on all of some sides, and those of all classes.

    features        int64 (n_features,)  the first `n_sides` are looked at, of which there is at
                                         least one
    uppers, lowers  int64 (n_features,)  bounds of each feature's side
    spare           Spare                overwritten, but for `others`
    """
    last = bits.class_sizes.shape[0]
    one, two, three = features[0], features[min(n_sides, 2) - 1], features[min(n_sides, 3) - 1]
    if n_sides == 1:
        upper, lower = sums.singles[uppers[one]], sums.singles[lowers[one]]
        return np.int64(upper[label] - lower[label]), np.int64(upper[last] - lower[last])
    if n_sides == 2 and sums.pairs.shape[0] > 0:
        hits = count_pair(sums, bits, one, two, uppers, lowers, label)
        return hits, count_pair(sums, bits, one, two, uppers, lowers, last)
    if n_sides == 3 and sums.triples.shape[0] > 0:
        hits = count_triple(sums, bits, one, two, three, uppers, lowers, label)
        return hits, count_triple(sums, bits, one, two, three, uppers, lowers, last)
    count_classes(bits, features, n_sides, uppers, lowers, spare)
    return spare.counts[label], spare.counts.sum()


@inner_kernel()
def count_classes(bits, features, n_sides, uppers, lowers, spare):
    """Count the rows of each class that lie on all of some sides, as `count_sides`."""
    runs, n_taken = runs_of_sides(bits, features, n_sides, uppers, lowers), 0
    for each in range(bits.order.shape[0]):
        feature = bits.order[(each + 2) % bits.order.shape[0]]  # as in `take_sides`
        for side in range(n_sides):
            if features[side] == feature:
                spare.uppers[n_taken], spare.lowers[n_taken] = uppers[feature], lowers[feature]
                n_taken += 1
    for label in range(spare.counts.shape[0]):
        spare.counts[label] = count_class(
            bits, label, runs, spare.uppers, spare.lowers, n_sides, spare.ranges
        )


# Rows that lie on all sides chosen so far: the words that are not empty.
# words    uint64 (n_words + 1,)
# places   int64  (n_words + 1,)  where they are among all
Remaining = namedtuple("Remaining", "words places")  # noqa: PYI024


@inner_kernel()
def begin_remaining(bits, remaining, uppers, lowers, chosen, n_chosen, ranges):
    """Find the rows on the sides of one to three features; return how many words they take."""
    below, words, places = bits.below, remaining.words, remaining.places
    one, other, third = chosen[0], chosen[min(n_chosen, 2) - 1], chosen[n_chosen - 1]
    upper, lower = np.uint64(uppers[one]), np.uint64(lowers[one])
    second_upper, second_lower = np.uint64(uppers[other]), np.uint64(lowers[other])
    runs, n_words = runs_of_sides(bits, chosen, n_chosen, uppers, lowers), 0
    for label in range(bits.class_sizes.shape[0]):
        for each in range(find_ranges(bits, label, runs, ranges)):
            for place in range(np.uint64(ranges[each, 0]), np.uint64(ranges[each, 1])):
                word = below[upper, place] ^ below[lower, place]
                word &= below[second_upper, place] ^ below[second_lower, place]
                words[n_words], places[n_words] = word, place
                n_words += word != 0
    if n_chosen == 3:
        n_words = narrow(bits, remaining, n_words, uppers[third], lowers[third])
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
    chosen          int64 (n_features,)  features of the sides, in order; overwritten
    Returns how many there are.
    """
    n_features, last, words_left = uppers.shape[0], bits.class_sizes.shape[0], 0
    begin, end = 0, 0
    # Sides that are looked up together; of more, the rows that remain are counted.
    n_looked_up = 1 + (sums.pairs.shape[0] > 0) + (sums.triples.shape[0] > 0)
    for n_chosen in range(n_features):
        best, best_hits, best_misses = -1, 0, 0
        for feature in range(n_features):
            upper, lower = uppers[feature], lowers[feature]
            if upper < 0:
                continue
            if n_chosen == 0:
                hits = np.int64(sums.singles[upper, label] - sums.singles[lower, label])
                size = np.int64(sums.singles[upper, last] - sums.singles[lower, last])
            else:
                is_chosen = False
                for each in range(n_chosen):
                    is_chosen |= chosen[each] == feature
                if is_chosen:
                    continue
                if n_chosen == 1 and sums.pairs.shape[0] > 0:
                    hits = count_pair(sums, bits, chosen[0], feature, uppers, lowers, label)
                    size = count_pair(sums, bits, chosen[0], feature, uppers, lowers, last)
                elif n_chosen == 2 and sums.triples.shape[0] > 0:
                    one, two = chosen[0], chosen[1]
                    hits = count_triple(sums, bits, one, two, feature, uppers, lowers, label)
                    size = count_triple(sums, bits, one, two, feature, uppers, lowers, last)
                else:
                    hits = count_remaining(bits, remaining, begin, end, upper, lower)
                    size = hits + count_remaining(bits, remaining, 0, begin, upper, lower)
                    size += count_remaining(bits, remaining, end, words_left, upper, lower)
            misses = size - hits - (is_left_out and not is_own)
            hits -= is_own
            if best < 0 or has_better_odds(hits, misses, best_hits, best_misses):
                best, best_hits, best_misses = feature, hits, misses
        if best < 0:
            return n_chosen
        chosen[n_chosen] = best
        if best_hits * box_size >= box_hits * (best_hits + best_misses):
            return n_chosen + 1
        if n_chosen + 1 < n_looked_up:
            continue
        if n_chosen + 1 == n_looked_up:
            words_left = begin_remaining(
                bits, remaining, uppers, lowers, chosen, n_looked_up, spare.ranges
            )
        else:
            words_left = narrow(bits, remaining, words_left, uppers[best], lowers[best])
        begin, end = class_range(bits, remaining, words_left, label)
    return n_features


@inner_kernel()
def drop_sides(
    bits, sums, uppers, lowers, label, is_own, is_left_out, box_hits, box_size, chosen, n_chosen,
    spare,
):  # fmt: skip
    """Drop sides that others make superfluous, the first feature's first, until none is.

    chosen  int64 (n_features,)  the first `n_chosen` are sorted, and those left kept in front
    spare   Spare                overwritten
    Returns how many are left.
    """
    chosen[:n_chosen].sort()
    at = 0
    while at < n_chosen and n_chosen > 1:
        others, n_others = spare.others, 0
        for each in range(n_chosen):
            if each != at:
                others[n_others] = chosen[each]
                n_others += 1
        hits, size = count_sides(bits, sums, others, n_others, uppers, lowers, label, spare)
        if (hits - is_own) * box_size >= box_hits * (size - is_left_out):
            for each in range(at, n_chosen - 1):
                chosen[each] = chosen[each + 1]
            n_chosen, at = n_chosen - 1, 0
        else:
            at += 1
    return n_chosen


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
    ranges = np.empty((bits.runs.shape[1], 2), np.int64)
    spare = Spare(spares[0], spares[1], spares[2], ranges, np.empty(n_classes, np.int64))
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
        n_chosen = choose_sides(
            bits, sums, uppers, lowers, label, is_own, is_left_out, box_hits, box_size, remaining,
            spare, chosen,
        )  # fmt: skip
        n_chosen = drop_sides(
            bits, sums, uppers, lowers, label, is_own, is_left_out, box_hits, box_size, chosen,
            n_chosen, spare,
        )  # fmt: skip
        lengths[pair] = n_chosen
        for each in range(n_chosen):
            feature = chosen[each]
            features[pair, each] = feature
            lows[pair, each] = lowers[feature] - bits.first[feature]
            highs[pair, each] = uppers[feature] - bits.first[feature] - 1
        if n_chosen > 3:
            count_classes(bits, chosen, n_chosen, uppers, lowers, spare)
        for each in range(n_classes):
            counts[pair, each] = bits.class_sizes[each]
            if n_chosen > 3:
                counts[pair, each] = spare.counts[each]
            elif n_chosen > 0:
                counts[pair, each] = count_sides(
                    bits, sums, chosen, n_chosen, uppers, lowers, each, spare
                )[0]
