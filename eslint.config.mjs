import tseslint from "typescript-eslint"

export default tseslint.config(
  { ignores: ["dist/**", "out/**", "node_modules/**", "fixtures/**", "**/.dubwright/**"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true }
      ],
      eqeqeq: "error",
      "no-console": "error",
      "no-var": "error",
      "prefer-const": "error"
    }
  },
  {
    // Inner loops over samples: an index proven by the loop's bound needs no check per sample.
    files: [
      "src/audio/**/*.ts",
      "test/audio/kernels/plainKernels.ts",
      "test/audio/sync/*.ts",
      "bench/sync/*.ts"
    ],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" }
  },
  {
    files: ["bench/**/*.ts"],
    rules: { "no-console": "off" }
  }
)
