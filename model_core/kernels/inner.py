"""`inner`: kernels that only other kernels call.

numba optimizes every function and makes machine code of it, although only the copy within its callers runs.
Inner kernels are left as they are written until they are part of a kernel that Python calls, so a user waits
a third less for the first start. A call from Python raises TypeError.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import NativeLowering

from .compiler import njit

# What Python would call: it raises TypeError, and returns NULL.
_REFUSES = ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value


class _InnerLibrary(JITCodeLibrary):
    """LLVM code to link into that of callers."""

    def _optimize_final_module(self) -> None:
        """Leave it to the callers, which optimize it as part of their own."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):
    """The pass that makes LLVM code of a function, and declares it to its callers."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, function = state["cr"], state.func_id.func
        # numba finds the code of a function by what Python would call.
        called = _dynfunc.make_function(function, function.__name__, "", _REFUSES, lowered.env, ())
        state.targetctx.insert_user_function(called, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=called)
        return True


class _InnerCompiler(CompilerBase):
    def define_pipelines(self) -> list[PassManager]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (_InnerLowering if which is NativeLowering else which, text) for which, text in manager.passes
        ]
        manager.finalize()
        return [manager]


def inner(function: Callable[..., Any]) -> Dispatcher:
    """Compile a function for the kernels that call it. Its `py_func` can be compiled for Python, too."""
    return njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_InnerCompiler)(
        function
    )
