#!/usr/bin/env python3
"""check_events.py FOLDER: TensorBoard's own event accumulator reads what Tandem wrote.

FOLDER is what examples/11_summaries wrote (bazel-bin/examples/11_summaries FOLDER), or any folder of event files: what was
found is printed. Exit status 1 when nothing was, or when an image, sound or histogram cannot be decoded.
Needs tensorboard from PyPI (and pillow for images).
"""
import io
import sys
import wave

from tensorboard.backend.event_processing import event_accumulator
from tensorboard.plugins.hparams import plugin_data_pb2


def main():
    acc = event_accumulator.EventAccumulator(sys.argv[1], size_guidance={k: 0 for k in event_accumulator.DEFAULT_SIZE_GUIDANCE})
    acc.Reload()
    tags = acc.Tags()
    found = 0
    for tag in tags["scalars"]:
        found += 1
        print("scalar   ", tag, [(e.step, round(e.value, 6)) for e in acc.Scalars(tag)][:8])
    for tag in tags["histograms"]:
        found += 1
        for e in acc.Histograms(tag):
            h = e.histogram_value
            assert sum(h.bucket) == h.num and len(h.bucket) == len(h.bucket_limit), tag
        print("histogram", tag, [(e.step, e.histogram_value.num) for e in acc.Histograms(tag)][:8])
    for tag in tags["images"]:
        found += 1
        for e in acc.Images(tag):
            from PIL import Image

            image = Image.open(io.BytesIO(e.encoded_image_string))
            image.load()
            assert image.size == (e.width, e.height), tag
        print("image    ", tag, [(e.step, e.width, e.height) for e in acc.Images(tag)])
    for tag in tags["audio"]:
        found += 1
        for e in acc.Audio(tag):
            with wave.open(io.BytesIO(e.encoded_audio_string)) as sound:
                assert sound.getnframes() == e.length_frames and sound.getframerate() == e.sample_rate, tag
        print("audio    ", tag, [(e.step, e.length_frames) for e in acc.Audio(tag)])
    for tag in tags["tensors"]:
        found += 1
        plugin = acc.SummaryMetadata(tag).plugin_data
        if plugin.plugin_name == "hparams":
            data = plugin_data_pb2.HParamsPluginData.FromString(plugin.content)
            print("hparams  ", tag, dict(data.session_start_info.hparams) or data.session_end_info.status)
        else:
            print(plugin.plugin_name.ljust(9), tag, [(e.step, list(e.tensor_proto.string_val)) for e in acc.Tensors(tag)])
    if tags["graph"]:
        found += 1
        print("graph    ", len(acc.Graph().node), "nodes")
    for tag in tags["run_metadata"]:
        found += 1
        print("metadata ", tag, len(acc.RunMetadata(tag).step_stats.dev_stats), "devices")
    print(found, "things found")
    sys.exit(0 if found else 1)


if __name__ == "__main__":
    main()
