#include "gpu.h"

#include "driver.h"

namespace drop_in {

bool is_like_h100() {
    static const auto current = driver_function<int(int* device)>("cuCtxGetDevice");
    static const auto attribute = driver_function<int(int* value, int which, int device)>("cuDeviceGetAttribute");
    constexpr int kMultiprocessors = 16, kMajor = 75;  // CU_DEVICE_ATTRIBUTE_*
    int device = 0, sms = 0, major = 0;
    return current && attribute && current(&device) == 0 && attribute(&major, kMajor, device) == 0 &&
           attribute(&sms, kMultiprocessors, device) == 0 && major == 9 && sms >= 114;
}

}  // namespace drop_in
