"""The estimator that we recommend."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from picrules.encoding.columns import read_columns
from picrules.encoding.conditions import Conditions, has_sides
from picrules.encoding.cuts import cut_at_quantiles
from picrules.encoding.schema import (
    Schema,
    is_ordered_feature,
    learn_schema,
)
from picrules.engines.base import Search
from picrules.engines.training import Training
from picrules.errors import BadTable, NotEnoughMemory
from picrules.estimators import grids, parameters
from picrules.estimators.composing import RULES_STEPS, Composer, Decided, Limits
from picrules.estimators.costs import check_cost_matrix
from picrules.estimators.fitted import Fitted, Voice, make_searcher, note_voices
from picrules.estimators.growing_classifier import GrowingClassifier
from picrules.estimators.kinds import kinds_of_conditions, refine
from picrules.estimators.likeness import seconds_to_learn
from picrules.estimators.progress import keep_silent, part_of, show_progress
from picrules.estimators.regrowing import extend, hold, to_columns, to_schema
from picrules.estimators.sampling import is_sampling, learn_by_sample
from picrules.estimators.scorecards import longest_set
from picrules.estimators.scorers import SCORINGS, Judge
from picrules.estimators.settling import JUDGED_ROWS, MOST_COMPOSED, Drift, find_fingerprint
from picrules.estimators.target import encode_target
from picrules.estimators.tuning import (
    Elsewhere,
    Kind,
    Trial,
    Tuner,
    can_spare,
    lengths_to_try,
    sample_rows,
    settle,
    tune,
)
from picrules.explain.cases import Cases
from picrules.explain.explanations import Explanations
from picrules.explain.importances import Importances, Judged, judge_training

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.encoding.columns import Column
    from picrules.estimators.counted_rows import CountedRows
    from picrules.estimators.grids import Grid
    from picrules.estimators.growing import Held
    from picrules.estimators.progress import Telling
    from picrules.estimators.sources import Source
    from picrules.model.model import Model
    from picrules.model.searcher import Searcher

# Of the training rows that are judged, those by which settings are chosen.
TUNED_ROWS = 5000

# The share of a budget that settings may take.
TUNING_SHARE = 0.6

# Look-alikes are not begun if less than this share of the time that they take is left.
LEAST_COMPOSED = 0.5

# Tables with more features than this share of their rows are too wide to choose features for all
# rows together without deceiving oneself: the best short rule decides, or the larger class.
WIDE = 0.5

# Into how many parts ordered features are cut for look-alikes.
FINE_CUTS = 32


class PersonalRuleClassifier(GrowingClassifier):
    """Classify each row by the best short rule of the class that has the best case.

    Ordered features have threshold conditions (`x <= cut`, `x > cut`) at quantiles and, where it
    helps, intervals; categories have `=` and, where it helps, sets of values or `!=`. All rules
    up to a length are looked at. Every setting that is "auto" is chosen by exact leave-one-out
    on the training rows, and `predict_proba` says how often predictions with such a lead were
    right there.

    Parameters
    ----------
    measure : str or list, default="evidence"
        How rules are scored: "precision" (the paper's), "smoothed_precision",
        "certainty_factor" or "evidence"; see `picrules.scoring.settings.Setting`. A list of
        any of the following parameters is a grid to choose from.
    alpha : float, list or "auto", default="auto"
        Weight of precision in the score, from 0 to 1; recall has the rest.
    smoothing : float, list or "auto", default="auto"
        How many rows, in the proportion of the classes, are added to a rule's cover before its
        precision is taken: more makes small covers count less.
    max_length : int, list or "auto", default="auto"
        The longest rules; "auto" tries from 2 up to 6 as long as there are at most
        `max_rules`.
    cuts : int, list or "auto", default="auto"
        Into how many parts with equal numbers of rows ordered features are cut; "auto" tries
        8 and 16, and 32 from 2,000 rows on.
    subsets : bool, list or "auto", default="auto"
        Whether conditions on categories are sets of values (up to 5 values) or `!=` (6 to 50
        values), beside `=`; "auto" tries both.
    intervals : bool, list or "auto", default="auto"
        Whether conditions on ordered features may have two ends (`lower < x <= upper`, both
        cuts) beside one; "auto" tries both where `cuts` is left as it is and features are few
        enough for that to be quick.
    class_offset : bool, list or "auto", default="auto"
        Whether an offset is added to the scores of each class, so that rare classes are
        neither forgotten nor preferred.
    look_alikes : bool or "auto", default="auto"
        Whether a row's class may be decided by the training rows most like it, and its rule be
        made from them, where leave-one-out finds that better; such a rule may be longer than
        others. "auto" tries it where `measure`, `max_length` and `cuts` are left as they are.
    n_rules : int or "auto", default=1
        How many rules decide together: with more than one, the row's rule comes first, and
        supporting rules follow, each with its points; "auto" takes up to 5 where they pay.
    class_weight : None, "balanced" or dict, default=None
        Weight of the rows of each class, in every count and in `scoring`. "balanced" makes all
        classes weigh the same.
    cost_matrix : dict, array or None, default=None
        What errors cost: `{"ill": {"well": 10}}` makes it 10 to predict well where ill is true; an
        error that is not named costs 1, and being right nothing. Or an array with a row for each
        true class and a column for each predicted one, in the order of `classes_`. The class is
        predicted that costs least on average by the probabilities. It is read at each prediction:
        `set_params(cost_matrix=...)` needs no new fit.
    min_cover : int, default=3
        How many training rows a rule must cover.
    scoring : str or callable, default="accuracy"
        What the choice of settings maximises: a name of `sklearn.metrics.get_scorer_names()` that
        needs predictions or probabilities, or a function `scoring(estimator, X, y)`. It judges the
        leave-one-out predictions; the function asks `estimator.predict` or `predict_proba`
        about X, which here has the positions of the rows.
    max_rules : int, default=20_000_000
        The most rules to choose from; bounds `max_length` and `cuts` when these are "auto".
        Rules of length 2 are always looked at.
    tuning_budget : float or None, default=None
        About how many seconds `fit` may take; None for no limit. Nothing is begun that would
        take longer, but something is tried in any case. With a limit the result depends on the
        speed of the machine.
    random_state : int, default=0
        Seed of the sample of 20,000 rows that settings are chosen on in larger tables, and of
        the parts of the rows for cross-fitting.
    categorical_features, engine, memory_limit
        As in `PICClassifier`.
    keep_rows : bool or "auto", default="auto"
        As in `PICClassifier`: settings are chosen on the rows, and then the counts of the chosen
        conditions and length take their place. With False, look-alikes and several rules are not
        tried, and lengths whose counts do not fit into `memory_limit` are not either; "auto" keeps
        rows that fit, and those that look-alikes or several rules need.
    n_jobs, verbose
        As in `PICClassifier`; also for `fit`.

    Attributes
    ----------
    classes_, class_sizes_, schema_, engine_, plan_, n_features_in_, feature_names_in_
        As in `PICClassifier`.
    class_weight_ : array of shape (n_classes,)
        The weight of a row of each class.
    class_offset_ : array of shape (n_classes,)
        What is added to the scores of each class; zeros without offset.
    setting_ : Setting
        The measure, alpha and smoothing in use.
    max_length_ : int
        The longest rules in use.
    tuning_ : Tuning
        The settings that were tried, their leave-one-out scores, and the choice.
    conditions_ : Conditions
        The conditions that rules are made of.
    feature_importances_ : array of shape (n_features,)
        What is lost without each column, as shares of the sum; see `importances`.
    calibration_ : Calibration
        How often predictions are right, by how far their class is ahead.

    See Also
    --------
    FPICClassifier : The paper's exhaustive search, with intervals of equal width.

    Notes
    -----
    A `sample_weight` is a whole number: the scores are computed from whole counts, which is what
    makes them the same to the bit everywhere. `class_weight` takes any positive number.

    Examples
    --------
    >>> from picrules import PersonalRuleClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = PersonalRuleClassifier(cuts=8, max_length=2, smoothing=1).fit(X, y)
    >>> str(clf.explain(X.iloc[[0]])[0].rule)
    'if sepal width (cm) > 2.8 and petal width (cm) <= 1 then 0'
    """

    # By the costs that they were measured with.
    _importances: tuple[bytes | None, Importances] | None

    def __init__(
        self,
        *,
        measure: str | list[str] = "evidence",
        alpha: Any = "auto",
        smoothing: Any = "auto",
        max_length: Any = "auto",
        cuts: Any = "auto",
        subsets: Any = "auto",
        intervals: Any = "auto",
        class_offset: Any = "auto",
        look_alikes: bool | str = "auto",
        n_rules: Any = 1,
        class_weight: Any = None,
        cost_matrix: Any = None,
        min_cover: int = 3,
        scoring: Any = "accuracy",
        max_rules: float = 20_000_000,
        tuning_budget: float | None = None,
        random_state: int = 0,
        categorical_features: Any = "from_dtype",
        engine: str = "auto",
        memory_limit: float | None = None,
        keep_rows: bool | str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.alpha = alpha
        self.smoothing = smoothing
        self.max_length = max_length
        self.cuts = cuts
        self.subsets = subsets
        self.intervals = intervals
        self.class_offset = class_offset
        self.look_alikes = look_alikes
        self.n_rules = n_rules
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.min_cover = min_cover
        self.scoring = scoring
        self.max_rules = max_rules
        self.tuning_budget = tuning_budget
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.engine = engine
        self.memory_limit = memory_limit
        self.keep_rows = keep_rows
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learn(
        self, columns: list[Column], classes: NDArray[Any], labels: NDArray[np.int64]
    ) -> tuple[Fitted, Searcher]:
        is_shown = parameters.check_verbose(self.verbose)
        with show_progress(None, "fitting", is_shown=is_shown) as tell:
            return self._count(*self._tune(columns, classes, labels, tell or keep_silent))

    def _count(self, fitted: Fitted, searcher: Searcher) -> tuple[Fitted, Searcher]:
        """Put counts in the place of the rows, where that is wanted and short rules decide."""
        if not fitted.can_count or fitted.training.counts is not None:
            return fitted, searcher
        conditions, search = fitted.conditions, fitted.search
        holding = self._make_holding(conditions, search.max_length, fitted.classes)
        training = holding.take(fitted.training, conditions.sets.n_codes)
        if training.counts is None:
            return fitted, searcher
        searcher = replace(searcher, training=training)
        searcher.plan(search, training.n_rows, parameters.check_n_jobs(self.n_jobs))
        return replace(fitted, training=training), searcher

    def _learn_from(self, source: Source) -> tuple[Fitted, Searcher]:
        if is_sampling(self, source):
            return learn_by_sample(clone(self).set_params(keep_rows=False), source)
        X, y = source.collect()
        return self._learn(read_columns(X), *encode_target(y, len(X)))

    def _tune(
        self,
        columns: list[Column],
        classes: NDArray[Any],
        labels: NDArray[np.int64],
        tell: Telling,
    ) -> tuple[Fitted, Searcher]:
        start, grid = monotonic(), grids.check_grid(self, len(labels))
        sizes = np.bincount(labels).astype(np.int64)
        weights = parameters.check_class_weight(self.class_weight, classes, sizes)
        check_cost_matrix(self.cost_matrix, classes)
        kinds = self._make_kinds(columns, labels, weights, grid)
        is_composed = len(classes) > 1 and (grid.n_rules != 1 or grid.has_alike)
        is_composed &= any(len(kind.conditions.features) for kind in kinds)
        fine = self._learn_schema(columns, FINE_CUTS) if is_composed else None
        keys = [] if fine is None else [fine.encode(columns)]
        rows, parts = sample_rows(kinds, keys, JUDGED_ROWS, grid.random_state)
        offsets = grid.offsets if len(classes) > 1 else (False,)
        scoring = grid.scoring if grid.scoring in SCORINGS else Judge(grid.scoring, classes)
        trial = Trial(rows, labels[rows], sizes, weights, scoring, offsets, parts)
        n_threads = parameters.check_n_jobs(self.n_jobs)
        # What is left of the budget is for offsets, confidence, and what decides.
        deadline, enough = start + grid.tuning_budget, start + TUNING_SHARE * grid.tuning_budget
        tuner = Tuner(trial.take(TUNED_ROWS), grid.settings, n_threads, enough)
        estimates = [tuner.estimate(kind) for kind in kinds]
        n_features = max(len(kind.conditions.features) for kind in kinds)
        composing = seconds_to_learn(n_features, len(labels)) if is_composed else 0.0
        share = sum(estimates) / max(sum(estimates) + composing, 1e-9)
        default = grids.distance_from_default(len(labels))
        tuning = tune(kinds, tuner, default, estimates, part_of(tell, share))
        elsewhere = None
        if len(tuner.trial.rows) == len(trial.rows):  # of more, chance is no matter
            trial = replace(trial, is_right=tuner.judge_elsewhere(tuning.default))
            elsewhere = Elsewhere(tuner, kinds, tuning.default)
        tell(0.0, "confidence")
        trial = tuner.afford(kinds, tuning.chosen, trial, deadline)
        kind, offset, calibration, accuracy = settle(kinds, tuning.chosen, trial, n_threads)
        has_rows = parameters.check_keep_rows(self.keep_rows) is not False
        tuning = replace(
            tuning, accuracy=accuracy, is_complete=tuner.is_complete, has_rows=has_rows
        )
        search = Search(tuning.chosen.setting, tuning.chosen.max_length, is_by_class=True)
        fitted = Fitted(
            classes, kind.conditions, kind.searcher.training, (Voice(search),), weights, offset,
            grid.min_cover, calibration, tuning,
        )  # fmt: skip
        if fine is None:
            return fitted, kind.searcher
        if monotonic() + LEAST_COMPOSED * tuner.pace * composing > deadline:
            return replace(fitted, tuning=replace(tuning, is_complete=False)), kind.searcher
        conditions = refine(fine, kind.conditions)
        limits = Limits(deadline, part_of(tell, 1 - share), 0 if grid.n_rules == 1 else RULES_STEPS)
        own = (kind, trial, elsewhere, grid, limits)
        return self._compose(conditions, columns, labels, fitted, *own)

    def _compose(
        self,
        fine: Conditions,
        columns: list[Column],
        labels: NDArray[np.int64],
        fitted: Fitted,
        kind: Kind,
        trial: Trial,
        elsewhere: Elsewhere | None,
        grid: Grid,
        limits: Limits,
    ) -> tuple[Fitted, Searcher]:
        """Decide by look-alikes, or by several rules, where that pays or is asked for."""
        limit = parameters.check_memory_limit(self.memory_limit)
        codes = fine.encode(columns)
        training = Training.from_rows(codes, labels, fine.sets.n_codes, len(fitted.classes))
        searcher = make_searcher(self, training, fine, fitted.class_weights, grid.min_cover, limit)
        together = replace(fitted, conditions=fine, training=training, coarse=kind.conditions)
        composer = self._make_composer(together, searcher, trial, grid, limits)
        composer.elsewhere = elsewhere
        is_open = grid.n_rules is None and composer.is_wide
        decided = self._decide(composer, 1 if is_open else grid.n_rules)
        assert fitted.tuning is not None
        tuning = replace(
            note_voices(fitted.tuning, decided.voices), by_rules=decided.scores,
            is_complete=fitted.tuning.is_complete and limits.is_kept,
        )  # fmt: skip
        if decided.voices == (Voice(fitted.search, is_coarse=True),):
            return replace(fitted, tuning=tuning), kind.searcher
        tuning = replace(tuning, accuracy=decided.accuracy)
        if decided.voices[0].search.max_length == 0:  # nothing is learned
            nothing = replace(
                fitted, voices=(replace(decided.voices[0], is_coarse=False),), tuning=tuning,
                class_offset=decided.offset, calibration=decided.calibration,
            )  # fmt: skip
            return nothing, kind.searcher
        has_coarse = any(voice.is_coarse for voice in decided.voices)
        together = replace(
            together, voices=decided.voices, class_offset=decided.offset, tuning=tuning,
            calibration=decided.calibration, coarse=kind.conditions if has_coarse else None,
        )  # fmt: skip
        return together, searcher

    def _decide(self, composer: Composer, n_rules: int | None) -> Decided:
        """Choose what decides: the best short rule, look-alikes, or several rules together."""
        return composer.compose(n_rules)

    def _make_composer(
        self, fitted: Fitted, searcher: Searcher, trial: Trial, grid: Grid, limits: Limits
    ) -> Composer:
        assert fitted.tuning is not None
        schema, features = fitted.conditions.schema, fitted.conditions.features
        sides = np.array([has_sides(schema.features[at]) for at in features], np.bool_)
        is_wide = searcher.training.n_features > WIDE * searcher.training.n_rows
        return Composer(
            trial.take(MOST_COMPOSED),
            trial.rows,
            searcher,
            fitted.make_members(searcher, is_coarse=True)[0].source.searcher,
            np.array([is_ordered_feature(schema.features[at]) for at in features], np.bool_),
            sides,
            fitted.search,
            fitted.tuning.chosen.has_offset,
            parameters.check_n_jobs(self.n_jobs),
            grid.has_alike and not is_wide and bool(sides.any()),
            is_wide,
            fitted.tuning.optimism or 0.0,
            limits,
            longest_set(fitted.coarse or fitted.conditions),
        )

    def _learn_schema(self, columns: list[Column], cuts: int) -> Schema:
        names = [column.name for column in columns]
        categorical = parameters.check_categorical_features(self.categorical_features, names)
        return learn_schema(columns, [cuts] * len(names), categorical, cut_at_quantiles)

    def _tell_fitted(self, fitted: Fitted, searcher: Searcher) -> dict[str, Any]:
        return super()._tell_fitted(fitted, searcher) | {
            "_importances": None,
            "class_weight_": fitted.class_weights,
            "class_offset_": fitted.class_offset,
            "tuning_": fitted.tuning,
            "calibration_": fitted.calibration,
            "setting_": fitted.search.setting,
            "max_length_": fitted.search.max_length,
            "conditions_": fitted.conditions,
        }

    def _hold(self, held: Held | CountedRows) -> tuple[Fitted, Searcher]:
        return self._count(*hold(self, self._fitted, held))

    def _extend(self, schema: Schema) -> Conditions:
        return extend(self, self._fitted, schema)

    @property
    def drift_(self) -> Drift:
        """How far the training rows have moved on since the settings were chosen."""
        check_is_fitted(self)
        growth = self._fitted.growth
        if growth is None:
            return Drift(self._fitted.training.n_rows)
        return replace(growth, now=growth.now or find_fingerprint(self._fitted)).drift

    def retune(self) -> Self:
        """Choose all settings anew, on the training rows that are held now.

        A model holds codes, not cells: cuts are chosen among those that it has, and categories of
        which no row is left are none any more.

        Returns
        -------
        PersonalRuleClassifier
            The estimator itself.

        Examples
        --------
        >>> from picrules import PersonalRuleClassifier
        >>> clf = PersonalRuleClassifier(max_length=1)
        >>> clf = clf.fit([[1], [2], [3], [4]] * 5, [0, 0, 1, 1] * 5)
        >>> clf.partial_fit([[9]] * 5, [1] * 5).drift_.share
        0.25
        >>> clf.retune().drift_.share
        0.0
        """
        check_is_fitted(self)
        before = self._fitted
        training, schema = before.training, before.conditions.schema
        training.need_rows("which settings retune would choose")
        fitted, searcher = self._learn(to_columns(before), before.classes, training.row_labels)
        conditions = replace(fitted.conditions, schema=to_schema(fitted.conditions.schema, schema))
        coarse = fitted.coarse
        if coarse is not None:
            coarse = replace(coarse, schema=to_schema(coarse.schema, schema))
        if not training.has_order:
            own = replace(fitted.training, rows=None, has_order=False)
            fitted, searcher = replace(fitted, training=own), replace(searcher, training=own)
        self._set_fitted(replace(fitted, conditions=conditions, coarse=coarse), searcher)
        return self

    def leave_one_out(self, *, simplify: float | None = None) -> Explanations:
        """Explain every training row by what the other training rows say about it.

        Exactly what a classifier fitted without the row would say, with the same settings,
        cuts and offsets.

        Parameters
        ----------
        simplify : float or None
            As in `explain`.

        Returns
        -------
        sequence of Explanation
            One explanation per training row; its counts are those of the other rows. They have the
            order of the training table; where a model file does not keep that, rows are sorted by
            their codes, column by column, and then by class.
        """
        model = self._check_left_out()
        details = parameters.check_details(0, 1.0, trace=False, simplify=simplify)
        with self._show_progress(model.training.n_rows, "rows") as report:
            return Explanations(Cases(model, model.leave_one_out(report), details))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """What is lost without each column, as shares of the sum; computed when first asked.

        The losses of accuracy of `importances()`, none below 0, divided by their sum; zeros where
        nothing is lost without any column.
        """
        check_is_fitted(self)
        costs = check_cost_matrix(self.cost_matrix, self.classes_)
        known = None if costs is None else costs.tobytes()
        if self._importances is None or self._importances[0] != known:
            self._importances = known, self.importances()
        return self._importances[1].normalized

    def _judge_training(self, max_rows: int) -> Judged:
        return judge_training(self._check_left_out(), max_rows)

    def _check_left_out(self) -> Model:
        """Return the model if its training rows can be left out."""
        check_is_fitted(self)
        self._model.training.need_rows("what the others say about each training row")
        if self._model.training.n_rows < 2:
            raise BadTable("there is 1 training row; leave_one_out needs at least 2")
        return self._ready_model

    def _make_kinds(
        self,
        columns: list[Column],
        labels: NDArray[np.int64],
        weights: NDArray[np.float64],
        grid: Grid,
    ) -> list[Kind]:
        """Make each kind of condition once, however many settings ask for it."""
        limit = parameters.check_memory_limit(self.memory_limit)
        kinds: list[Kind] = []
        too_large: list[tuple[Conditions, int]] = []  # what no counts can be kept for
        for cuts in grid.cuts:
            schema = self._learn_schema(columns, cuts)
            if any(kind.conditions.schema == schema for kind in kinds):
                continue
            to_try = kinds_of_conditions(schema, grid)
            codes, n_codes = to_try[0].encode(columns), to_try[0].sets.n_codes
            training = Training.from_rows(codes, labels, n_codes, len(weights))
            for conditions in to_try:
                is_spare = conditions.has_intervals and grid.intervals is None
                if is_spare and not can_spare(conditions, len(weights)):
                    continue
                searcher = make_searcher(self, training, conditions, weights, grid.min_cover, limit)
                lengths = lengths_to_try(conditions, grid.lengths, grid.max_rules)
                lengths, refused = self._countable(conditions, lengths, len(weights)), lengths
                if not lengths:
                    too_large.append((conditions, min(refused)))
                    continue
                longest = Search(grid.settings[0], max(lengths), is_by_class=True)
                with suppress(NotEnoughMemory) if is_spare else nullcontext():
                    searcher.plan(longest, len(labels))
                    kinds.append(Kind(cuts, conditions, searcher, lengths, is_spare))
        if not kinds:
            conditions, length = min(too_large, key=lambda each: sum(each[0].sets.n_codes))
            holding = self._make_holding(conditions, length)
            holding.check_counts(conditions.sets.n_codes, len(weights))
        kinds.sort(key=lambda kind: kind.is_spare and sum(kind.conditions.n_conditions))
        return self._affordable(kinds, grid.max_rules)

    def _countable(
        self, conditions: Conditions, lengths: tuple[int, ...], n_classes: int
    ) -> tuple[int, ...]:
        """Leave out lengths whose counts do not fit into memory, if they are to replace rows."""
        holdings = [self._make_holding(conditions, length) for length in lengths]
        n_codes = conditions.sets.n_codes
        return tuple(
            each.max_length
            for each in holdings
            if each.keep_rows is not False or each.fits(n_codes, n_classes)
        )

    def _affordable(self, kinds: list[Kind], max_rules: float) -> list[Kind]:
        """Leave out kinds with too many rules of length 2, unless the user asked for them."""
        if not isinstance(self.cuts, str):
            return kinds
        n_rules = [sum(kind.conditions.count_rules(2)) for kind in kinds]
        few = [kind for kind, count in zip(kinds, n_rules, strict=True) if count <= max_rules]
        return few or [kinds[int(np.argmin(n_rules))]]
