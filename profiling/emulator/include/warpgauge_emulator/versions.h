// SPDX-License-Identifier: Apache-2.0
// Which CUDA this is: the one whose names and limits the emulator has.
#pragma once

#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define CUDART_API_PTDS_DEFAULT 0
#define CUDARTAPI
#define CUDART_CB

// By which programs ask whether a header of CUDA was included.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __DRIVER_FUNCTIONS_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_FUNCTIONS_H__
#define __HOST_DEFINES_H__
