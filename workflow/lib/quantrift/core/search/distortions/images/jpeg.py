"""JPEG compression, as of cameras, messengers and web sites."""

from types import ModuleType

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric
from quantrift.core.search.libraries.installed import opencv

PLACE = 85
GROUPS = ("corruptions",)


def bind(setting: Setting) -> Radiometric:
    """Quality that is lost, at most 90: 0 leaves an image as it is, n compresses it with quality 100 - n."""
    return Radiometric([Gene(0, max(1, round(90 * setting.strength)))], apply)


def apply(batch: Batch) -> None:
    """Compress images of three channels as red, green and blue, channels of others each as a grey image."""
    for image, [loss] in zip(batch.images, batch.genes.tolist(), strict=True):
        if loss:
            levels = np.rint(np.clip((image - batch.black) / batch.span, 0, 1) * np.float32(255)).astype(np.uint8)
            image[:] = _compressed(levels, 100 - int(loss)) / np.float32(255) * batch.span + batch.black


def _compressed(levels: np.ndarray, quality: int) -> np.ndarray:
    """An image, uint8 (H, W, C), after compression."""
    cv2 = opencv()
    if levels.shape[2] != 3:
        parts = np.ascontiguousarray(np.moveaxis(levels, 2, 0))
        return np.stack([_decoded(cv2, part, quality) for part in parts], axis=2)
    # OpenCV takes blue first.
    return _decoded(cv2, np.ascontiguousarray(levels[..., ::-1]), quality)[..., ::-1]


def _decoded(cv2: ModuleType, levels: np.ndarray, quality: int) -> np.ndarray:
    """The same of one grey image, uint8 (H, W), or one of blue, green and red, (H, W, 3)."""
    _, content = cv2.imencode(".jpg", levels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(content, cv2.IMREAD_UNCHANGED))
