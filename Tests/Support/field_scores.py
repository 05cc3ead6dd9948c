#!/usr/bin/env python3
"""Prints what the field's tools say of the recordings of Tests/Core/Evaluation/FieldToolsTest.cpp, which holds these
numbers. Needs sed_scores_eval, sed_eval, scikit-learn, numpy and pandas:

    python3 Tests/Support/field_scores.py
"""
import numpy as np
import sed_eval
import sklearn
from dcase_util.containers import MetaDataContainer
from sed_scores_eval import intersection_based
from sed_scores_eval.base_modules.scores import create_score_dataframe
from sklearn.metrics import average_precision_score

CLASSES, ANNOTATED, STEP, RECORDINGS, THRESHOLD = 5, 4, 0.32, 8, 0.4


class Numbers:
    """The same in C++: a linear congruential generator."""

    def __init__(self):
        self.state = 1

    def below(self, n):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return (self.state >> 16) % n


def recordings():
    """(columns, classes) scores and (onset, offset, class) in milliseconds; nobody annotates the last class."""
    numbers, made = Numbers(), []
    for _ in range(RECORDINGS):
        columns = 150 + numbers.below(100)
        end, truths, levels = columns * 320, [], []
        for c in range(ANNOTATED):
            at = numbers.below(30000)
            while at < end - 1500 and numbers.below(4) > 0:
                offset = min(at + 300 + numbers.below(4000), end)
                truths.append((at, offset, c))
                levels.append(numbers.below(600))
                at = offset + 700 + numbers.below(15000)
        scores = np.zeros((columns, CLASSES))
        for i in range(columns):
            heard = [numbers.below(250) for _ in range(CLASSES)]
            for (on, off, c), level in zip(truths, levels):
                if on <= i * 320 + 160 < off:
                    heard[c] += level
                    heard[(c + 4) % CLASSES] += level // 2
            scores[i] = np.minimum(heard, 1023) / 1024
        made.append((scores, truths))
    return made


def detections(scores, c):
    on, found = None, []
    for i, value in enumerate(list(scores[:, c]) + [0.0]):
        if value >= THRESHOLD and on is None:
            on = i
        elif value < THRESHOLD and on is not None:
            found.append((on * STEP, i * STEP))
            on = None
    return found


def events(kind, made, labels):
    result = MetaDataContainer()
    for r, (scores, truths) in enumerate(made):
        spans = ([(on / 1000, off / 1000, c) for on, off, c in truths] if kind == "truth" else
                 [(on, off, c) for c in range(CLASSES) for on, off in detections(scores, c)])
        for on, off, c in spans:
            result.append({"filename": f"{r}.wav", "onset": on, "offset": off, "event_label": labels[c]})
    return result


def scores_of(metrics, made, labels):
    truth, found = events("truth", made, labels), events("found", made, labels)
    for r, (scores, _) in enumerate(made):
        name = f"{r}.wav"
        arguments = {"evaluated_length_seconds": len(scores) * STEP} if "Segment" in type(metrics).__name__ else {}
        metrics.evaluate(truth.filter(filename=name), found.filter(filename=name), **arguments)
    micro = metrics.results_overall_metrics()["f_measure"]["f_measure"]
    each = [metrics.results_class_wise_metrics()[label]["f_measure"]["f_measure"] for label in labels[:ANNOTATED]]
    return micro, float(np.mean(each)), metrics.results_overall_metrics()["error_rate"]["error_rate"]


def main():
    made = recordings()
    labels = [f"class {c}" for c in range(CLASSES)]
    ids = [f"{r}" for r in range(RECORDINGS)]
    scores = {i: create_score_dataframe(s[:, :ANNOTATED], np.arange(len(s) + 1) * STEP, labels[:ANNOTATED])
              for i, (s, _) in zip(ids, made)}
    truth = {i: [(on / 1000, off / 1000, labels[c]) for on, off, c in t] for i, (_, t) in zip(ids, made)}
    durations = {i: len(s) * STEP for i, (s, _) in zip(ids, made)}
    common = {"scores": scores, "ground_truth": truth, "audio_durations": durations, "alpha_st": 1.0}
    psds1 = intersection_based.psds(**common, dtc_threshold=0.7, gtc_threshold=0.7)[0]
    psds2 = intersection_based.psds(**common, dtc_threshold=0.1, gtc_threshold=0.1, cttc_threshold=0.3, alpha_ct=0.5)[0]
    print(f"sed_scores_eval: PSDS1 {psds1:.9f}, PSDS2 {psds2:.9f}")
    for name, collar, share in (("0.2 s", 0.2, 0.2), ("0.5 s", 0.5, 0.5)):
        metrics = sed_eval.sound_event.EventBasedMetrics(labels, t_collar=collar, percentage_of_length=share,
                                                         event_matching_type="optimal")
        print(f"sed_eval {sed_eval.__version__}: event F1 {name} micro %.9f, macro %.9f, error rate %.9f"
              % scores_of(metrics, made, labels))
    metrics = sed_eval.sound_event.SegmentBasedMetrics(labels, time_resolution=1.0)
    print(f"sed_eval {sed_eval.__version__}: segment F1 micro %.9f, macro %.9f, error rate %.9f"
          % scores_of(metrics, made, labels))
    holds = np.array([[any(label == c for _, _, label in t) for c in range(ANNOTATED)] for _, t in made])
    peaks = np.array([s[:, :ANNOTATED].max(axis=0) for s, _ in made])
    several = [c for c in range(ANNOTATED) if holds[:, c].any()]
    print(f"scikit-learn {sklearn.__version__}: mean average precision "
          f"{np.mean([average_precision_score(holds[:, c], peaks[:, c]) for c in several]):.9f}")


if __name__ == "__main__":
    main()
