"""A catalogue of invented error sites, as dense with siblings as a tensor library's, of any size.

Messages come from a small grammar over word lists: operations in 1d/2d/3d, forward and backward, float and int, min and
max, so that most messages have neighbours that differ in one word. Beyond the first few thousand the grammar names
invented identifiers, as a catalogue of many projects would.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from bot.records.model import Site
from tests.issue_generator.keys import phrases, words
from tests.issue_generator.siblings import sibling

REPOSITORY = "tracel-ai/burn"
_OPERATIONS = words(
    """
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d max_pool2d avg_pool1d
    avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d deform_conv2d unfold4d interpolate embedding layer_norm
    batch_norm group_norm float_gather int_gather float_scatter int_scatter bool_scatter float_select int_select
    float_min float_max int_min int_max argmin argmax float_sum int_sum cumsum cumprod sort argsort topk matmul
    cross outer squeeze unsqueeze reshape flatten permute flip roll expand repeat slice slice_assign mask_fill
    mask_where cat stack split chunk narrow
    """
)
_THINGS = phrases(
    """
    the input tensor | the output tensor | the weight tensor | the bias | the kernel size | the stride | the
    padding | the dilation | the first dimension | the last dimension | the row count | the column count | the
    batch size | the input channels | the output channels | the left operand | the right operand | the lower
    bound | the upper bound | the start index | the end index | the learning rate | the decay factor | the
    checkpoint file | the metadata entry | the record header | the gradient | the optimizer state | the
    quantization scheme | the scale factor | the zero point | the tensor name | the device handle | the memory
    page | the stream queue | the dataset iterator | the vocabulary table | the tokenizer output | the sampling
    window | the hidden state | the cell state | the attention mask | the query heads | the key heads | the
    value heads | the loss reduction | the target labels | the class weights
    """
)
_QUALITIES = phrases(
    """
    positive | negative | non-zero | contiguous | even | odd | finite | sorted | unique | aligned | initialized
    | registered | sealed | empty | broadcastable | on the same device | divisible by the group count | smaller
    than the rank | greater than the rank | equal to the number of axes | a power of two | a multiple of the
    block size
    """
)
_VERBS = words(
    """
    read write load save open close encode decode allocate release register fetch merge convert parse
    """
)
_KINDS = ["float", "int", "bool", "complex", "quantized"]
_PLACES = phrases(
    """
    memory disk | cache | server | worker thread | archive | manifest | kernel queue
    """
)
_DIRECTIONS = ("forward", "backward")
_HOLES = ("{}", "{:?}", "{dim}", "{shape:?}", "{name}", "{len}", "{dtype:?}", "{value}")
_NUMBERS = ("{dim}", "{rank}", "{len}", "{size}")
_AREAS = words(
    """
    tensor nn core train store optim fusion autodiff router ndarray import dataset vision remote
    """
)
_MODULES = words(
    """
    ops base check kernel reader writer module grads client server metric record shape init pool
    """
)
_SYLLABLES = words(
    """
    ba co di fe gu la me ni po ra se ti vo wa xi zo ker mal tor ven qui sta bri cel dom fra
    """
)


def sites(count: int, *, seed: int = 1) -> list[Site]:
    """`count` sites; the first ones are the same whatever the count. One in ten repeats another site's text."""
    return list(islice(_stream(seed), count))


def _stream(seed: int) -> Iterator[Site]:
    rng = random.Random(seed)
    seen: set[str] = set()
    recent: list[str] = []
    number = 0
    while True:
        if recent and rng.random() < 0.1:
            message = rng.choice(recent)
        else:
            message = _message(rng, rare=number > 3000 or rng.random() < 0.2)
            if recent and rng.random() < 0.2:
                message = sibling(rng.choice(recent), rng) or message
            if message in seen:
                continue
            seen.add(message)
            recent = [*recent[-200:], message]
        area, module, function = rng.choice(_AREAS), rng.choice(_MODULES), rng.choice(_OPERATIONS)
        yield Site(
            record=f"{number:016x}",
            slug=f"site-{number}",
            repo=REPOSITORY,
            message=message,
            file_path=f"crates/burn-{area}/src/{module}/{rng.choice(_MODULES)}.rs",
            function=function,
        )
        number += 1


def _message(rng: random.Random, *, rare: bool) -> str:
    operation = rng.choice(_OPERATIONS) if not rare or rng.random() < 0.3 else _invented(rng)
    thing, other = rng.sample(_THINGS, 2)
    hole, second, dim = rng.choice(_HOLES), rng.choice(_HOLES), rng.choice(_NUMBERS)
    quality, verb = rng.choice(_QUALITIES), rng.choice(_VERBS)
    kind, direction, place = rng.choice(_KINDS), rng.choice(_DIRECTIONS), rng.choice(_PLACES)
    if rare and rng.random() < 0.5:
        thing = f"the {_invented(rng)} {thing.split(maxsplit=1)[1]}"
    forms = (
        f"{operation}: {thing} must be {quality}, got {hole}",
        f"{operation}: {thing} {hole} does not match {other} {second}",
        f"{operation} {direction} is not supported for {kind} tensors of rank {dim}",
        f"Can't {verb} {thing} of a {kind} tensor in {operation}",
        f"Unable to {verb} {thing} from {place}: {hole}",
        f"{_upper(thing)} ({hole}) should be {quality} before {other} is used by {operation}",
        f"Expected {thing} to be {quality} for {operation}, but found {hole}",
        f"{operation}: unsupported dtype {{dtype:?}} for {thing}",
        f"`{operation}` needs a {kind} tensor, {thing} holds {hole}",
        f"Dimension {dim} of {thing} is out of range in {operation} {direction}",
        f"Failed to {verb} {thing}, {other} is missing ({operation})",
        f"{dim} elements cannot fill {thing} when {operation} expects {second}",
    )
    return rng.choice(forms)


def _invented(rng: random.Random) -> str:
    """A code word that no dictionary has: few are common, most are rare."""
    rank = int(rng.paretovariate(0.35)) % 200_000
    pick = random.Random(rank)
    parts = ["".join(pick.choices(_SYLLABLES, k=pick.randint(2, 3))) for _ in range(pick.randint(1, 2))]
    return "_".join(parts)


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
