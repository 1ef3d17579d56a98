"""Novelty of points: far from all points seen before. Coverage-guided fuzzing tests activations so (TensorFuzz)."""

import numpy as np


class Seen:
    """Points of which no two lie near each other.

    The search is exact. It compares one coordinate after the other and drops points that cannot be near; the first few
    coordinates leave hardly any. TensorFuzz's public code uses an approximate index (FLANN), which may take a known
    point for a new one.
    """

    def __init__(self, threshold: float, first: np.ndarray) -> None:
        """Starts with the point ``first``, (K,).

        Points are far apart if the square of their distance is larger than ``threshold``.
        """
        self._threshold, self._count = threshold, 0
        self._points = np.empty((len(first), 64))
        self._add(first.astype(np.float64))

    def __len__(self) -> int:
        """Number of points."""
        return self._count

    def admit(self, points: np.ndarray) -> np.ndarray:
        """Add those of ``points`` (n, K) that are far from all points, one after the other: each one counts at once.

        Returns:
            The numbers of those added, ascending, int64 (a,).
        """
        admitted = []
        for number, point in enumerate(points.astype(np.float64)):
            if not self._near(point):
                self._add(point)
                admitted.append(number)
        return np.array(admitted, np.int64)

    def _near(self, point: np.ndarray) -> bool:
        """Whether any point lies within the threshold."""
        known = self._points[:, : self._count]
        # Few are compared all at once.
        if self._count <= 256:
            return bool((np.square(known - point[:, None]).sum(axis=0) <= self._threshold).any())
        left = np.flatnonzero(np.square(known[0] - point[0]) <= self._threshold)
        distances = np.zeros(len(left))
        for known_values, value in zip(known, point, strict=True):
            distances += np.square(known_values[left] - value)
            near = distances <= self._threshold
            left, distances = left[near], distances[near]
            if not len(left):
                return False
        return True

    def _add(self, point: np.ndarray) -> None:
        if self._count == self._points.shape[1]:
            self._points = np.concatenate([self._points, np.empty_like(self._points)], axis=1)
        self._points[:, self._count] = point
        self._count += 1
