/** What happened, folded from the stream of events into one line a call (E11). */

import type { CallState, CallStatus, SessionEvent } from "../generated/protocol";
import { Newest } from "./newest";

/** One call as the view shows it. */
export interface Activity {
  callId: string;
  at: string;
  tool: string;
  connector?: string;
  asker?: string;
  state: CallState;
  status?: CallStatus;
  durationMs?: number;
  mayHaveRun?: boolean;
}

/** How many calls are kept. */
export const mostCalls = 200;

/** The last calls, the newest first. */
export class ActivityLog {
  private readonly calls = new Newest<Activity>(mostCalls);
  epoch: string | undefined;
  seq = 0;

  /** Takes one event over; answers whether the list is another one now. */
  take(event: SessionEvent): boolean {
    this.epoch = event.epoch;
    this.seq = event.seq;
    // A text that is completed while it is typed is nothing that anybody looks for.
    if (event.kind !== "call" || event.callId === undefined || event.tool?.endsWith(": completion/complete") === true) {
      return event.kind === "gap";
    }
    const before = this.calls.get(event.callId);
    this.calls.set(event.callId, {
      callId: event.callId,
      at: before?.at ?? event.at,
      tool: event.tool ?? before?.tool ?? "",
      connector: event.name ?? before?.connector,
      asker: event.asker ?? before?.asker,
      state: event.call ?? before?.state ?? "unknown",
      status: event.status ?? before?.status,
      durationMs: event.durationMs ?? before?.durationMs,
      mayHaveRun: event.mayHaveRun ?? before?.mayHaveRun,
    });
    return true;
  }

  /** Takes over that the program has ended: what ran may have run, and what was asked about did not. */
  end(): void {
    for (const [callId, call] of this.calls) {
      if (call.state === "running") {
        this.calls.set(callId, { ...call, state: "mayHaveRun", mayHaveRun: true });
      } else if (call.state === "asking") {
        this.calls.set(callId, { ...call, state: "finished", status: "cancelled" });
      }
    }
  }

  list(): Activity[] {
    return [...this.calls.values()].reverse();
  }
}

/** How long something took, in words. */
export function took(ms: number): string {
  return ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
