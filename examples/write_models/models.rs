//! The bundled models, one function each.
//!
//! Sizes of real networks, scaled down where a file would become large: `g.size(a, b)` is `a` in the first data set and
//! `b` in the second.

use crate::elements::integers;
use crate::naive::Masks;
use crate::onnx::{self, BEGIN, END, Graph};
use crate::openvino::{self, Network};

/// The ONNX models.
pub const ONNX: &[onnx::Model] = &[
    onnx::Model {
        name: "audio_framing",
        opset: 13,
        about: "overlapping windows of a signal: Gather on the time axis by a constant table of frames",
        describe: audio_framing,
    },
    onnx::Model {
        name: "beam_reorder",
        opset: 21,
        about: "keys and values of a decoder put into the order of the surviving beams",
        describe: beam_reorder,
    },
    onnx::Model {
        name: "bert_embedding",
        opset: 11,
        about: "word and segment rows of BERT",
        describe: bert_embedding,
    },
    onnx::Model {
        name: "gather_of_slice_of_gather",
        opset: 13,
        about: "a retriever: candidate rows, their first features, the rows that survive",
        describe: gather_of_slice_of_gather,
    },
    onnx::Model {
        name: "image_crop_flip",
        opset: 10,
        about: "centre crop of NHWC images, then a horizontal flip",
        describe: image_crop_flip,
    },
    onnx::Model {
        name: "kv_cache_trim",
        opset: 13,
        about: "keys and values between two positions that are known at run time",
        describe: kv_cache_trim,
    },
    onnx::Model {
        name: "last_token",
        opset: 21,
        about: "the hidden state that the next token is read from",
        describe: last_token,
    },
    onnx::Model {
        name: "llama_embedding",
        opset: 17,
        about: "rows of an f16 vocabulary",
        describe: llama_embedding,
    },
    onnx::Model {
        name: "position_ids",
        opset: 17,
        about: "Range from the past length to the total length, and the rows of these positions",
        describe: position_ids,
    },
    onnx::Model {
        name: "rgba_to_bgr",
        opset: 13,
        about: "a screenshot for a detector: alpha away, channels reversed",
        describe: rgba_to_bgr,
    },
    onnx::Model {
        name: "rope_half_split",
        opset: 17,
        about: "the two halves of each head, bf16, for a rotary embedding",
        describe: rope_half_split,
    },
    onnx::Model {
        name: "swin_relative_position_bias",
        opset: 12,
        about: "one row of the bias table for each pair of pixels in a 7 x 7 window",
        describe: swin_relative_position_bias,
    },
    onnx::Model {
        name: "unet_skip_crop",
        opset: 9,
        about: "the centre of the skip connection of U-Net, bounds as attributes",
        describe: unet_skip_crop,
    },
    onnx::Model {
        name: "vit_class_token",
        opset: 17,
        about: "token 0 of a vision transformer",
        describe: vit_class_token,
    },
    onnx::Model {
        name: "yolov5_focus",
        opset: 11,
        about: "the four phases of an image, every second row and column",
        describe: yolov5_focus,
    },
];

/// The OpenVINO IRs.
pub const OPENVINO: &[openvino::Model] = &[
    openvino::Model {
        name: "causal_mask",
        about: "StridedSlice with new axis and ellipsis: a window of the causal mask",
        describe: causal_mask,
    },
    openvino::Model {
        name: "nhwc_crop",
        about: "StridedSlice at a box that is known at run time",
        describe: nhwc_crop,
    },
    openvino::Model {
        name: "qkv_split",
        about: "StridedSlice with a shrunk axis: queries, keys and values",
        describe: qkv_split,
    },
    openvino::Model {
        name: "reverse_time",
        about: "Slice-8 backwards: the second direction of a bidirectional network",
        describe: reverse_time,
    },
];

/// 256 samples every 128, as a short-time Fourier transform takes them.
fn audio_framing(g: &mut Graph) {
    let (window, hop, frames) = (256, 128, 15);
    let signal = g.data(
        "signal",
        "batch, samples",
        "f32",
        &g.size([2, 2048], [1, 3000]),
    );
    let starts = (0..frames).map(|frame| frame * hop);
    let samples: Vec<i64> = starts.flat_map(|start| start..start + window).collect();
    let shape = [frames as usize, window as usize];
    let table = g.initializer("frame_samples", integers("i32", &shape, &samples));
    let frames = g.gather("frames", &signal, &table, 1);
    g.output(&frames, "batch, 15, 256");
}

/// Beam search: `past_key[beam_ids]`, the same for the values.
fn beam_reorder(g: &mut Graph) {
    let (beams, past) = g.size((4, 16), (3, 21));
    let dims = "beams, 4, past, 32";
    let keys = g.data("past_key", dims, "f16", &[beams, 4, past, 32]);
    let values = g.data("past_value", dims, "f16", &[beams, 4, past, 32]);
    let ids = g.ids("beam_ids", "beams", "i32", &[beams], 0..beams as i64);
    for (name, cache) in [("present_key", keys), ("present_value", values)] {
        let reordered = g.gather(name, &cache, &ids, 0);
        g.output(&reordered, dims);
    }
}

/// `words[input_ids]` and `segments[token_type_ids]`.
fn bert_embedding(g: &mut Graph) {
    let shape = g.size([4, 16], [1, 37]);
    for (ids, rows, entries) in [
        ("input_ids", "word_embeddings", 64),
        ("token_type_ids", "token_type_embeddings", 2),
    ] {
        let ids = g.ids(ids, "batch, sequence", "i64", &shape, 0..entries);
        let table = g.weight(&format!("{rows}.weight"), "f32", &[entries as usize, 32]);
        let rows = g.gather(rows, &table, &ids, 0);
        g.output(&rows, "batch, sequence, 32");
    }
}

/// `bank[candidates][:, :64][kept]`: embeddings whose first features are an embedding too.
fn gather_of_slice_of_gather(g: &mut Graph) {
    let (entries, candidates, kept) = g.size((256, 40, 10), (100, 64, 1));
    let bank = g.data("bank", "entries, 128", "u8", &[entries, 128]);
    let ids = g.ids(
        "candidates",
        "candidates",
        "i64",
        &[candidates],
        0..entries as i64,
    );
    // From the end as well: a negative index counts backwards.
    let range = -(candidates as i64)..candidates as i64;
    let kept = g.ids("kept", "kept", "i32", &[kept], range);
    let rows = g.gather("candidate_rows", &bank, &ids, 0);
    let short = g.slice("short_rows", &rows, &[(1, 0, 64, 1)]);
    let best = g.gather("best_rows", &short, &kept, 0);
    g.output(&best, "kept, 64");
}

/// `image[:, 4:60, 4:60][:, :, ::-1]`.
fn image_crop_flip(g: &mut Graph) {
    let shape = g.size([2, 64, 64, 3], [1, 60, 80, 3]);
    let images = g.data("images", "batch, height, width, 3", "u8", &shape);
    let crop = g.slice("crop", &images, &[(1, 4, 60, 1), (2, 4, 60, 1)]);
    let flip = g.slice("flip", &crop, &[(2, -1, BEGIN, -1)]);
    g.output(&flip, "batch, 56, 56, 3");
}

/// `past[:, :, start:end]`: a sliding window over the cache that moves each step.
fn kv_cache_trim(g: &mut Graph) {
    let (past, start, end) = g.size((48, 8, 40), (20, -12, END));
    let shape = [1, 4, past, 32];
    let caches = ["key", "value"].map(|name| {
        let input = format!("past_{name}");
        let cache = g.data(&input, "batch, 4, past, 32", "f16", &shape);
        (format!("present_{name}"), cache)
    });
    let start = g.input("start", "1", integers("i64", &[1], &[start]));
    let end = g.input("end", "1", integers("i64", &[1], &[end]));
    let axes = g.constant("time_axis", integers("i64", &[1], &[2]));
    for (name, cache) in caches {
        let kept = g.slice_by(&name, &cache, [&start, &end, &axes], None);
        g.output(&kept, "batch, 4, kept, 32");
    }
}

/// `hidden[:, -1]`, as the exporter of a scalar index writes it.
fn last_token(g: &mut Graph) {
    let shape = g.size([4, 16, 64], [1, 33, 64]);
    let hidden = g.data("hidden_states", "batch, sequence, 64", "f32", &shape);
    let last = g.constant("last", integers("i64", &[], &[-1]));
    let token = g.gather("last_hidden_state", &hidden, &last, 1);
    g.output(&token, "batch, 64");
}

/// `table[input_ids]`.
fn llama_embedding(g: &mut Graph) {
    let table = g.weight("model.embed_tokens.weight", "f16", &[128, 64]);
    let shape = g.size([2, 24], [1, 1]);
    let ids = g.ids("input_ids", "batch, sequence", "i64", &shape, 0..128);
    let rows = g.gather("inputs_embeds", &table, &ids, 0);
    g.output(&rows, "batch, sequence, 64");
}

/// `range(past, total)`, and the rows of the learned positions.
fn position_ids(g: &mut Graph) {
    let (past, total) = g.size((16, 40), (63, 64));
    let past = g.input("past_length", "", integers("i64", &[], &[past]));
    let total = g.input("total_length", "", integers("i64", &[], &[total]));
    let one = g.constant("one", integers("i64", &[], &[1]));
    let table = g.weight("wpe.weight", "f32", &[64, 48]);
    let range = g.range("positions", &past, &total, &one);
    let ids = g.unsqueeze("position_ids", &range, 0);
    let rows = g.gather("position_embeds", &table, &ids, 0);
    g.output(&ids, "1, sequence");
    g.output(&rows, "1, sequence, 48");
}

/// `image[..., 2::-1]`.
fn rgba_to_bgr(g: &mut Graph) {
    let shape = g.size([1, 45, 80, 4], [2, 16, 33, 4]);
    let image = g.data("rgba", "batch, height, width, 4", "u8", &shape);
    let pixels = g.identity("pixels", &image);
    let bgr = g.slice("bgr", &pixels, &[(-1, 2, BEGIN, -1)]);
    g.output(&bgr, "batch, height, width, 3");
}

/// `x[..., :32]` and `x[..., 32:]`.
fn rope_half_split(g: &mut Graph) {
    let shape = g.size([1, 8, 32, 64], [2, 4, 7, 64]);
    let query = g.data("query", "batch, heads, sequence, 64", "bf16", &shape);
    for (half, start, end) in [("first_half", 0, 32), ("second_half", 32, END)] {
        let half = g.slice(half, &query, &[(3, start, end, 1)]);
        g.output(&half, "batch, heads, sequence, 32");
    }
}

/// `table[index.view(-1)].view(49, 49, -1)`; the transposition that follows in the network is not part of it.
fn swin_relative_position_bias(g: &mut Graph) {
    let side: i64 = 7;
    let area = (side * side) as usize;
    let shape = [(2 * side - 1).pow(2) as usize, g.size(3, 6)];
    let table = g.data("relative_position_bias_table", "169, heads", "f32", &shape);
    let mut index = Vec::new();
    for from in 0..side * side {
        for to in 0..side * side {
            let row = from / side - to / side + side - 1;
            let column = from % side - to % side + side - 1;
            index.push(row * (2 * side - 1) + column);
        }
    }
    let index = integers("i64", &[area, area], &index);
    let index = g.initializer("relative_position_index", index);
    let flat = g.reshape("flat_index", &index, &[-1]);
    let rows = g.gather("bias_rows", &table, &flat, 0);
    let bias = g.reshape("relative_position_bias", &rows, &[49, 49, -1]);
    g.output(&bias, "49, 49, heads");
}

/// `skip[:, :, 4:-4, 4:-4]`.
fn unet_skip_crop(g: &mut Graph) {
    let shape = g.size([1, 8, 28, 28], [2, 8, 17, 20]);
    let skip = g.data("skip", "batch, 8, height, width", "f32", &shape);
    let centre = g.slice("centre", &skip, &[(2, 4, -4, 1), (3, 4, -4, 1)]);
    g.output(&centre, "batch, 8, inner_height, inner_width");
}

/// `tokens[:, 0:1]`, then the axis away. 50 tokens are those of 32 x 32 patches of a 224 x 224 image.
fn vit_class_token(g: &mut Graph) {
    let shape = g.size([2, 50, 192], [3, 10, 192]);
    let tokens = g.data("tokens", "batch, tokens, 192", "f32", &shape);
    let first = g.slice("first_token", &tokens, &[(1, 0, 1, 1)]);
    let class = g.squeeze("class_token", &first, 1);
    g.output(&class, "batch, 192");
}

/// `x[..., ::2, ::2]`, `x[..., 1::2, ::2]`, `x[..., ::2, 1::2]`, `x[..., 1::2, 1::2]`, two Slices each as exported.
fn yolov5_focus(g: &mut Graph) {
    let shape = g.size([1, 3, 64, 64], [2, 3, 32, 48]);
    let images = g.data("images", "batch, 3, height, width", "f32", &shape);
    for (row, column) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let rows = format!("rows_{row}{column}");
        let rows = g.slice(&rows, &images, &[(2, row, END, 2)]);
        let phase = format!("phase_{row}{column}");
        let phase = g.slice(&phase, &rows, &[(3, column, END, 2)]);
        g.output(&phase, "batch, 3, half_height, half_width");
    }
}

/// `mask[newaxis, ..., 16:40, :40]`.
fn causal_mask(n: &mut Network) {
    let mask = n.data("mask", "heads, size, size", "bool", &[2, 48, 48]);
    let begin = n.list("begin", &[0, 0, 16, 0]);
    let end = n.list("end", &[0, 0, 40, 40]);
    let strides = n.list("strides", &[1, 1, 1, 1]);
    let masks = Masks {
        begin: &[0, 0, 0, 1],
        end: &[0, 0, 0, 0],
        new_axis: &[1, 0, 0, 0],
        ellipsis: &[0, 1, 0, 0],
        ..Masks::default()
    };
    let bounds = [&begin, &end, &strides];
    let window = n.strided_slice("window", "1, heads, 24, 40", &mask, bounds, masks);
    n.result("result", &window);
}

/// `image[:, top:bottom, left:right]`; begin and end are inputs.
fn nhwc_crop(n: &mut Network) {
    let image = n.data("image", "batch, height, width, 3", "u8", &[1, 72, 96, 3]);
    let begin = n.parameter("top_left", "4", integers("i64", &[4], &[0, 12, 20, 0]));
    let end = n.parameter("bottom_right", "4", integers("i64", &[4], &[0, 60, -12, 0]));
    let strides = n.list("strides", &[1, 1, 1, 1]);
    let masks = Masks {
        begin: &[1, 0, 0, 1],
        end: &[1, 0, 0, 1],
        ..Masks::default()
    };
    let bounds = [&begin, &end, &strides];
    let crop = n.strided_slice("crop", "batch, rows, columns, 3", &image, bounds, masks);
    n.result("result", &crop);
}

/// `qkv[:, :, 0]`, `qkv[:, :, 1]`, `qkv[:, :, 2]` of `[batch, sequence, 3, heads, features]`.
fn qkv_split(n: &mut Network) {
    let qkv = n.data(
        "qkv",
        "batch, sequence, 3, 4, 32",
        "f16",
        &[2, 16, 3, 4, 32],
    );
    let strides = n.list("strides", &[1, 1, 1]);
    for (at, name) in ["query", "key", "value"].into_iter().enumerate() {
        let begin = n.list(&format!("{name}_begin"), &[0, 0, at as i64]);
        let end = n.list(&format!("{name}_end"), &[0, 0, at as i64 + 1]);
        let masks = Masks {
            begin: &[1, 1, 0],
            end: &[1, 1, 0],
            shrink_axis: &[0, 0, 1],
            ..Masks::default()
        };
        let bounds = [&begin, &end, &strides];
        let part = n.strided_slice(name, "batch, sequence, 4, 32", &qkv, bounds, masks);
        n.result(&format!("{name}_result"), &part);
    }
}

/// `x[:, ::-1]`.
fn reverse_time(n: &mut Network) {
    let dims = "batch, time, 32";
    let features = n.data("features", dims, "f32", &[2, 40, 32]);
    let start = n.list("start", &[-1]);
    let stop = n.list("stop", &[BEGIN]);
    let step = n.list("step", &[-1]);
    let axes = n.list("axes", &[1]);
    let bounds = [&start, &stop, &step, &axes];
    let reversed = n.slice("reversed", dims, &features, bounds);
    n.result("result", &reversed);
}
