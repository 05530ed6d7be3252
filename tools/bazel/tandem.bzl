"""Macros of the project: tests, fuzz targets and examples by file, C++ from .proto files."""

def tandem_test(name, srcs, deps = [], data = [], size = "small", **kwargs):
    """One Catch2 test binary; its test cases are counted one by one in test.xml."""
    native.cc_test(
        name = name,
        srcs = srcs,
        size = size,
        data = data,
        deps = ["//tests/catch:main"] + deps,
        **kwargs
    )

def tandem_tests(deps = [], data = ["//tests:data"], except_for = [], **kwargs):
    """A tandem_test for every *_test.cc of the package, so that a new file needs no BUILD edit.

    A file that needs attributes of its own is named in except_for and gets its own tandem_test.
    """
    for src in native.glob(["*_test.cc"], exclude = except_for, allow_empty = True):
        tandem_test(
            name = src[:-len(".cc")],
            srcs = [src],
            deps = ["//:tandem", "//tests:testlib"] + deps,
            data = data,
            **kwargs
        )

def tandem_fuzz_targets(deps = ["//:tandem"], **kwargs):
    """A libFuzzer binary for every *_fuzz.cc of the package. Manual: bazel build --config=fuzz //tests/fuzz:NAME_fuzz."""
    for src in native.glob(["*_fuzz.cc"], allow_empty = True):
        native.cc_binary(
            name = src[:-len(".cc")],
            testonly = True,
            srcs = [src],
            deps = deps,
            linkopts = ["-fsanitize=fuzzer"],
            tags = ["manual"],
            **kwargs
        )

def tandem_examples(deps = ["//:tandem"], data = [], untested = []):
    """A binary for every *.cc of the package, and a test that its output is what NAME.expected says.

    In NAME.expected `...` stands for any text of a line, and a line `...` for any number of lines.
    """
    for src in native.glob(["*.cc"], allow_empty = True):
        name = src[:-len(".cc")]
        native.cc_binary(name = name, srcs = [src], deps = deps, data = data)
        if name in untested:
            continue
        native.sh_test(
            name = name + "_output_test",
            size = "medium",  # training takes seconds, minutes on a busy machine
            srcs = ["//tools/bazel:check_output.py"],
            args = ["$(location :%s)" % name, "$(location %s.expected)" % name],
            data = [":" + name, name + ".expected"],
        )

def tandem_proto(name, srcs, visibility = None):
    """A cc_library of what Debian's protoc makes of srcs, which import each other by their path from the root."""
    package = native.package_name()
    stems = [src[:-len(".proto")] for src in srcs]
    sources = [stem + ".pb.cc" for stem in stems]
    headers = [stem + ".pb.h" for stem in stems]
    native.genrule(
        name = name + "_protoc",
        srcs = srcs,
        outs = sources + headers,
        cmd = "protoc -I. --cpp_out=$(BINDIR) $(SRCS)",
        message = "Compiling protos of " + package,
    )
    native.cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        copts = ["-w"],
        linkstatic = True,
        visibility = visibility,
        deps = ["//tools/deps:protobuf"],
    )
