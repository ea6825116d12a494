import {onTestFinished, vi} from 'vitest';

/** The clocks of the product. The event loop itself stays real. */
const clocks = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] as const;

/** More turns than anything takes that ever ends. */
const maxTurns = 200_000;

/** The machine's own, which waits without work. */
const realTimeout = globalThis.setTimeout;

/** Lets the test move the clocks of the product until the test ends, so that no time is measured on the machine's. */
export function startVirtualTime() {
	vi.useFakeTimers({toFake: [...clocks], now: Date.UTC(2026, 0, 1)});
	onTestFinished(() => void vi.useRealTimers());
	const turn = () => new Promise<void>(resolve => setImmediate(resolve));
	/** Lets what was started run, without time passing. */
	const turns = async (count = 6) => {
		for (let index = 0; index < count; index++) {
			await turn();
		}
	};

	const holds = new Set<() => boolean>();
	/** A program outside of the test takes as long as it takes. */
	const whileHeld = async () => {
		const isHeld = () => [...holds].some(each => each());
		for (let waited = 0; isHeld(); waited++) {
			await (waited < 3 ? turn() : new Promise<void>(resolve => void realTimeout(resolve, 1)));
		}
	};

	return {
		turns,
		/** Stops the clocks while the condition holds, as others may. Returns a function that ends this. */
		holdWhile(isHeld: () => boolean) {
			holds.add(isHeld);
			return () => void holds.delete(isHeld);
		},
		/** Lets that many milliseconds pass on the clocks of the product. */
		async pass(milliseconds: number, step = 10) {
			for (let left = milliseconds; left > 0; left -= step) {
				vi.advanceTimersByTime(Math.min(step, left));
				await turns(3);
				await whileHeld();
			}
		},
		/** Lets time pass until the condition holds. */
		async until(holds: () => boolean | Promise<boolean>, what: () => string) {
			for (let count = 0; !(await holds()); count++) {
				if (count > maxTurns) {
					throw new Error(`Waited in vain:\n${what()}`);
				}

				vi.advanceTimersByTime(2);
				await turn();
				await whileHeld();
			}
		},
	};
}

export type VirtualTime = ReturnType<typeof startVirtualTime>;
