// SPDX-License-Identifier: Apache-2.0
int expected(int index, int length) { return (length - 1 - index) * FACTOR; }
