// SPDX-License-Identifier: Apache-2.0
// nvcc's command line as the host compiler needs it, and what is said of what the emulator lacks.
#include <gtest/gtest.h>

#include <algorithm>

#include "profiling/emulator/compile/kernel_casts.hpp"
#include "profiling/emulator/compile/nvcc/installation.hpp"
#include "profiling/emulator/compile/nvcc/nvcc_command_line.hpp"
#include "profiling/emulator/compile/nvcc/shared_arrays.hpp"
#include "profiling/emulator/compile/refusals.hpp"

namespace warpgauge::emulator {
namespace {

bool contains(const Command& command, const std::string& word) {
  return std::ranges::find(command, word) != command.end();
}

std::string error_of(const Command& arguments) {
  try {
    static_cast<void>(parse_nvcc(arguments));
    return "";
  } catch (const NvccError& error) {
    return error.what();
  }
}

TEST(NvccCommandLine, OfSourcesLinksAProgram) {
  const NvccCommand command = parse_nvcc(Command{"-o", "program", "a.cu", "b.cpp", "c.c", "d.o"});
  EXPECT_EQ(command.action, NvccAction::link);
  EXPECT_EQ(command.output, "program");
  ASSERT_EQ(command.inputs.size(), 4U);
  EXPECT_EQ(command.inputs[0].language, NvccLanguage::cuda);
  EXPECT_EQ(command.inputs[1].language, NvccLanguage::cpp);
  EXPECT_EQ(command.inputs[2].language, NvccLanguage::c);
  EXPECT_EQ(command.inputs[3].language, NvccLanguage::object);
  EXPECT_EQ(parse_nvcc(Command{"-x", "cu", "b.cpp"}).inputs[0].language, NvccLanguage::cuda);
}

TEST(NvccCommandLine, HasTheHostCompilersOptions) {
  const NvccCommand command =
      parse_nvcc(Command{"-Ia", "-I", "b", "-DX=1", "--define-macro", "Y", "--include-path=d",
                         "-Xcompiler", "-fopenmp,-O3", "-Lx", "-ly", "a.cu"});
  for (const char* word : {"-Ia", "-Ib", "-DX=1", "-DY", "-Id", "-fopenmp"}) {
    EXPECT_TRUE(contains(command.compile, word)) << word;
  }
  EXPECT_FALSE(contains(command.compile, "-O3")) << "how it is optimised is the emulator's say";
  for (const char* word : {"-Lx", "-ly", "-fopenmp"}) {
    EXPECT_TRUE(contains(command.link, word)) << word;
  }
}

TEST(NvccCommandLine, LeavesOutWhatIsForTheDevice) {
  const NvccCommand command = parse_nvcc(
      Command{"-arch=sm_90", "-gencode", "arch=compute_90,code=sm_90", "--ptxas-options=-v",
              "-Xptxas", "-dlcm=ca", "-maxrregcount=32", "-use_fast_math", "-lineinfo", "-G",
              "-lcudart", "-lcublas", "--expt-relaxed-constexpr", "-O3", "-c", "a.cu"});
  EXPECT_EQ(command.action, NvccAction::compile);
  EXPECT_EQ(command.compile, Command{});
  EXPECT_EQ(command.link, Command{});
  EXPECT_EQ(command.inputs.size(), 1U);
  EXPECT_TRUE(contains(command.cuda, "-D__CUDACC_RELAXED_CONSTEXPR__"));
}

TEST(NvccCommandLine, TakesTheNewestArchitectureThatTheDeviceRuns) {
  EXPECT_EQ(parse_nvcc(Command{"a.cu"}).architecture, 0);
  EXPECT_EQ(parse_nvcc(Command{"-arch=sm_60", "a.cu"}).architecture, 60);
  EXPECT_EQ(parse_nvcc(Command{"--gpu-architecture", "native", "a.cu"}).architecture, 0);
  EXPECT_EQ(parse_nvcc(Command{"-gencode", "arch=compute_70,code=[sm_70,sm_80]", "-gencode",
                               "arch=compute_75,code=sm_75", "a.cu"})
                .architecture,
            80);
  EXPECT_EQ(parse_nvcc(Command{"-arch=sm_120a", "a.cu"}).architecture, 90);
}

TEST(NvccCommandLine, HasAtLeastCpp17) {
  EXPECT_EQ(parse_nvcc(Command{"a.cu"}).standard, "");
  EXPECT_EQ(parse_nvcc(Command{"-std=c++11", "a.cu"}).standard, "c++17");
  EXPECT_EQ(parse_nvcc(Command{"--std", "c++20", "a.cu"}).standard, "c++20");
}

TEST(NvccCommandLine, RefusesWhatItCannotDo) {
  EXPECT_EQ(error_of({"-ptx", "a.cu"}), "-ptx: the emulator makes no machine code for a GPU");
  EXPECT_EQ(error_of({"a.ptx"}),
            "a.ptx: the emulator runs no machine code; give it the CUDA source");
  EXPECT_EQ(error_of({"-o"}), "-o needs a value");
  EXPECT_EQ(error_of({"-nothing-known"}), "the option -nothing-known is not known");
  EXPECT_EQ(error_of({"-ccbin", "clang++", "a.cu"}),
            "-ccbin clang++: the emulator needs g++ 12 or later");
}

TEST(Refusal, NamesTheProgramsLine) {
  EXPECT_EQ(refusal_in("In file included from main.cu:3:\n"
                       "lib.h:2:10: fatal error: cub/cub.cuh: No such file or directory\n"),
            "main.cu:3: the emulator has no CUB (cub/cub.cuh); leave this file out of what is "
            "emulated, or write that part as a kernel");
  EXPECT_TRUE(refusal_in("a.cu:7:5: error: 'tex2D' was not declared in this scope\n")
                  .starts_with("a.cu:7: the emulator has no textures of this kind (tex2D);"));
  EXPECT_EQ(refusal_in("In file included from a.cu:1:\n"
                       "own.h:2:2: error: #error Warpgauge: no such thing\n"),
            "a.cu:1: no such thing");
  EXPECT_EQ(refusal_in("In file included from a.cu:1:\n"
                       "own.h: In instantiation of 'class fragment<b1>':\n"
                       "a.cu:4:97:   required from here\n"
                       "own.h:8:3: error: static assertion failed: the emulator has no bits\n"),
            "a.cu:4: the emulator has no bits; leave this file out of what is emulated, or write "
            "that part as a kernel");
}

TEST(Refusal, IsNotOfTheProgramsOwnMistakes) {
  EXPECT_EQ(refusal_in("a.cu:1:10: fatal error: mine.h: No such file or directory\n"), "");
  EXPECT_EQ(refusal_in("a.cu:1:3: error: 'texture_of_mine' was not declared in this scope\n"), "");
  EXPECT_EQ(refusal_in("a.cu:1:3: error: invalid conversion from 'CUmodule' to 'int'\n"), "");
  EXPECT_EQ(refusal_in("a.cu:1:3: warning: unused variable 'tex2D'\n"), "");
  EXPECT_EQ(refusal_in("a.cu:1:3: error: static assertion failed: too small\n"), "");
}

TEST(KernelCasts, AreThoseOfLaunchesByPointer) {
  const std::string remembered = "::warpgauge_emulator::KernelCast{}->*";
  EXPECT_EQ(rewrite_kernel_casts("cudaLaunchKernel( (void *)k<1>, grid"),
            "cudaLaunchKernel(" + remembered + "k<1>, grid");
  EXPECT_EQ(rewrite_kernel_casts("cudaLaunchCooperativeKernel((const void*)\n&k, g"),
            "cudaLaunchCooperativeKernel(" + remembered + "\n&k, g");
  EXPECT_EQ(rewrite_kernel_casts("node.func = (void *)k;"), "node.func =" + remembered + "k;");
  for (const char* same :
       {"f((void*)k)", "myfunc = (void*)k", "cudaLaunchKernel(k, (void*)a)", "func((void*)k)",
        "\"cudaLaunchKernel((void*)k)\"", "my_cudaLaunchKernel((void*)k)"}) {
    EXPECT_EQ(rewrite_kernel_casts(same), same);
  }
}

TEST(SharedArrays, AreThreadLocalAndUndefined) {
  EXPECT_EQ(undefined_shared_arrays(
                "    1: 0000000000000000     0 TLS     GLOBAL DEFAULT  UND tile\n"
                "    2: 0000000000000000     0 TLS     GLOBAL DEFAULT  UND _ZSt11__once_call\n"
                "    3: 0000000000000000     0 TLS     GLOBAL DEFAULT  UND __smem\n"
                "    4: 0000000000000000     0 TLS     GLOBAL DEFAULT  UND __gcov_indirect_call\n"
                "    3: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND printf\n"
                "    4: 0000000000000000     8 TLS     GLOBAL DEFAULT   12 defined\n"),
            (std::set<std::string>{"__smem", "tile"}));
}

TEST(KernelOptions, AreOneALine) {
  EXPECT_EQ(options_of("# why\n-g\n\n-O1\n"), (Command{"-g", "-O1"}));
}

}  // namespace
}  // namespace warpgauge::emulator
