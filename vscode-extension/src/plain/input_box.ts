/** What an input box says besides its title. VS Code makes links of it, and runs a command that one of them names. */

import { neutral } from "./visible";

/** The words of an input box that may hold links. */
export interface InputBoxWords {
  prompt?: string;
  validateInput?: (typed: string) => string | undefined;
}

/** The options of an input box, without a link in them. */
export function withoutLinks<O extends InputBoxWords>(options: O): O {
  const { prompt, validateInput } = options;
  return {
    ...options,
    ...(prompt === undefined ? {} : { prompt: neutral(prompt) }),
    ...(validateInput === undefined
      ? {}
      : {
          validateInput: (typed: string) => {
            const fault = validateInput(typed);
            return fault === undefined ? undefined : neutral(fault);
          },
        }),
  };
}
