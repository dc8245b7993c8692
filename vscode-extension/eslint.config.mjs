import tseslint from "typescript-eslint";

const noDefault = { selector: "ExportDefaultDeclaration", message: "No default exports." };
const noInputBox = { selector: "MemberExpression[property.name=/^(show|create)InputBox$/]", message: "VS Code makes links of what an input box says: typeIn takes them out." };

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "src/generated/**", "media/**", "scripts/**", "eslint.config.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-restricted-syntax": ["error", noDefault, noInputBox],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Values of the wire may be ones that this version does not know.
      "@typescript-eslint/no-unnecessary-condition": "off",
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: "test" }] }],
    },
  },
  { files: ["src/input_box.ts"], rules: { "no-restricted-syntax": ["error", noDefault] } },
);
