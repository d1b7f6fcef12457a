/** The text of KernelCode.ts, assembled anew. */
export const kernelCode: () => Promise<string>
