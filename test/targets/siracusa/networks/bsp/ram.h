/* The calls of pulp-sdk for external RAM: its first place is 256, and nothing is copied before it is waited for. */
#ifndef BSP_RAM_H
#define BSP_RAM_H
#include "pmsis.h"
struct pi_device;
typedef struct pi_cl_ram_req_s {
    uint8_t *place, *near;
    uint32_t size;
    int to_chip, is_open;
} pi_cl_ram_req_t;
static inline int pi_ram_alloc(struct pi_device *device, uint32_t *address, uint32_t size) {
    *address = 256u;
    return device == 0 || size == 0u ? -1 : 0;
}
static inline uint8_t *pi_ram_place(struct pi_device *device, uint32_t address) { return (uint8_t *)device + address - 256u; }
static inline void pi_ram_write(struct pi_device *device, uint32_t address, void *data, uint32_t size) {
    __builtin_memcpy(pi_ram_place(device, address), data, size);
}
static inline void pi_cl_ram_copy(
    struct pi_device *device, uint32_t address, void *near, uint32_t size, int to_chip, pi_cl_ram_req_t *request) {
    if (request->is_open || size == 0u || size > 0x1ffffu) tw_exit(79);
    *request = (pi_cl_ram_req_t){pi_ram_place(device, address), near, size, to_chip, 1};
}
static inline void pi_cl_ram_copy_wait(pi_cl_ram_req_t *request) {
    if (!request->is_open) tw_exit(80);
    if (request->to_chip) __builtin_memcpy(request->near, request->place, request->size);
    else __builtin_memcpy(request->place, request->near, request->size);
    request->is_open = 0;
}
#endif
