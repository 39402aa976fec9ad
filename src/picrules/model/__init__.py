"""What predicts: searcher, decision and calibration behind one model."""
