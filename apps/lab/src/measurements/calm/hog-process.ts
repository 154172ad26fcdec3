/** Computes without end, to take the processor from others. */

let value = 1;
for (;;) value = Math.sin(value) + 1;
