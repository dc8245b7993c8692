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

/** A call with the event that told of it last. */
interface Told {
  call: Activity;
  seq: number;
}

/** The last calls, the newest first. Events may come twice and late: of each call the newest one counts. */
export class ActivityLog {
  private readonly calls = new Newest<Told>(mostCalls);
  epoch: string | undefined;
  seq = 0;

  /** Takes one event over; answers whether the list is another one now. */
  take(event: SessionEvent): boolean {
    const isOther = event.epoch !== this.epoch;
    if (isOther) {
      // Another program counts anew, and its calls are others.
      for (const told of this.calls.values()) {
        told.seq = 0;
      }
    }
    this.epoch = event.epoch;
    this.seq = isOther ? event.seq : Math.max(this.seq, event.seq);
    // A text that is completed while it is typed is nothing that anybody looks for.
    if (event.kind !== "call" || event.callId === undefined || event.tool?.endsWith(": completion/complete") === true) {
      return event.kind === "gap";
    }
    const known = this.calls.get(event.callId);
    if (known !== undefined && event.seq < known.seq) {
      return false;
    }
    const before = known?.call;
    const call: Activity = {
      callId: event.callId,
      at: before?.at ?? event.at,
      tool: event.tool ?? before?.tool ?? "",
      connector: event.name ?? before?.connector,
      asker: event.asker ?? before?.asker,
      state: event.call ?? before?.state ?? "unknown",
      status: event.status ?? before?.status,
      durationMs: event.durationMs ?? before?.durationMs,
      mayHaveRun: event.mayHaveRun ?? before?.mayHaveRun,
    };
    this.calls.set(event.callId, { call, seq: event.seq });
    return true;
  }

  /** Takes over that the program has ended: what ran may have run, and what was asked about did not. */
  end(): void {
    this.lose("running");
    for (const told of this.calls.values()) {
      if (told.call.state === "asking") {
        told.call = { ...told.call, state: "finished", status: "cancelled" };
      }
    }
  }

  /** Takes over that nothing more is told of the calls in these states. */
  private lose(...states: CallState[]): void {
    for (const told of this.calls.values()) {
      if (states.includes(told.call.state)) {
        told.call = { ...told.call, state: "mayHaveRun", mayHaveRun: true };
      }
    }
  }

  /**
   * Takes over what was listed before the window was opened anew, the newest first, where it is what list gave. What was kept may be
   * older than the last answer: what was asked about then may have been allowed since.
   */
  restore(earlier: unknown): void {
    const all = Array.isArray(earlier) ? (earlier as (Partial<Activity> | null)[]) : [];
    for (const call of all.toReversed()) {
      if (typeof call?.callId === "string" && typeof call.tool === "string" && typeof call.at === "string" && call.state !== undefined) {
        this.calls.set(call.callId, { call: call as Activity, seq: 0 });
      }
    }
    this.lose("asking", "running");
  }

  list(): Activity[] {
    return [...this.calls.values()].map((told) => told.call).reverse();
  }
}

/** How long something took, in words. */
export function took(ms: number): string {
  return ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
