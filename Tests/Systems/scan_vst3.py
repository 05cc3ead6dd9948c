"""Lists the classes of a VST3 bundle, as a host's scanner does: loads the module and asks its factory.

    scan_vst3.py Earshot.vst3
"""
import ctypes
import glob
import sys


class ClassInfo(ctypes.Structure):  # Steinberg::PClassInfo
    _fields_ = [("id", ctypes.c_char * 16), ("cardinality", ctypes.c_int32), ("category", ctypes.c_char * 32),
                ("name", ctypes.c_char * 64)]


module = ctypes.CDLL(glob.glob(sys.argv[1] + "/Contents/*-linux/*.so")[0])
if not module.ModuleEntry(ctypes.c_void_p(module._handle)):
    sys.exit("the module does not start")
module.GetPluginFactory.restype = ctypes.c_void_p
factory = ctypes.c_void_p(module.GetPluginFactory())
table = ctypes.cast(ctypes.cast(factory, ctypes.POINTER(ctypes.c_void_p))[0], ctypes.POINTER(ctypes.c_void_p))
count_classes = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(table[4])
class_info = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ClassInfo))(table[5])
for index in range(count_classes(factory)):
    info = ClassInfo()
    if class_info(factory, index, ctypes.byref(info)) == 0:
        print(info.category.decode(), info.name.decode())
