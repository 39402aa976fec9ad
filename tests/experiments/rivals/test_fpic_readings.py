"""The first reading is Algorithm 3, so it must be what picrules computes."""

import numpy as np
import pytest

from experiments.rivals.fpic_readings import READINGS, FPICReading
from experiments.rivals.personal import Personal
from experiments.rivals.rule import mean_length
from picrules import FPICClassifier
from tests.experiments.rivals.tables import three_classes, two_rules


@pytest.mark.parametrize("table", [two_rules, three_classes])
def test_reading_as_written_is_fpic_of_picrules(table):
    (X, y), (X_new, _) = table(200), table(80, seed=1)
    reading = FPICReading("as written", 5, 0).fit(X, y)
    fpic = Personal(FPICClassifier()).fit(X, y)
    assert (reading.predict(X_new) == fpic.predict(X_new)).all()
    lengths = [mean_length(r.rules(X_new), is_personal=True) for r in (reading, fpic)]
    assert lengths[0] == pytest.approx(lengths[1])
    assert len(reading.rules(X_new)) == len(fpic.rules(X_new))


@pytest.mark.parametrize("reading", READINGS)
def test_reading_answers_every_row(reading):
    X, y = two_rules(150)
    rival = FPICReading(reading, 5, 0).fit(X, y)
    assert np.mean(rival.predict(X) == y) > 0.6
    assert sum(use.n_rows for use in rival.rules(X)) == len(X)
    assert {use.rule.length for use in rival.rules(X)} <= {1, 2, 3}
