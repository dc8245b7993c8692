/** Where a standing permission that is set by hand counts. */

import type { Connector, PermissionScope } from "../generated/protocol";

/**
 * As far as a rule about a connector may reach, and no further than its file does: one of the user's own file belongs to no
 * folder, one that another program's file or Pillion itself brings is neither. Of one that is not known the folder is taken,
 * which Pillion refuses where there is none.
 */
export function standingScope(connector: Pick<Connector, "source" | "root"> | undefined): PermissionScope {
  if (connector?.source === "user") {
    return "user";
  }
  return connector === undefined || connector.root !== undefined ? "project" : "session";
}
