import fc from 'fast-check';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createShares, longestShareMs, type ShareGuest, shortestShareMs} from '../../src/host/shares.ts';

/** Links on a fake clock. */
function shares() {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	return createShares();
}

test('[34] a link ends at its time, with whoever came by it, also if the machine slept through it', () => {
	const links = shares();
	const make = () => links.create({session: 'one', role: 'observer', owner: undefined}, shortestShareMs);
	const [used, unused] = [make(), make()];
	const guest = links.guest(links.join(used.code)?.pass ?? '');
	const close = vi.fn();
	guest?.keep({close});
	vi.advanceTimersByTime(shortestShareMs - 1);
	expect(links.list(undefined)).toMatchObject([{connected: true}, {used: false}]);
	expect(close).not.toHaveBeenCalled();
	vi.advanceTimersByTime(2);
	expect(close).toHaveBeenCalledOnce();
	expect(links.join(unused.code)).toBeUndefined();

	const slept = make();
	const {pass = ''} = links.join(slept.code) ?? {};
	// No timer runs while a machine sleeps, and its clock has gone on.
	vi.setSystemTime(Date.now() + shortestShareMs);
	expect(links.guest(pass)).toBeUndefined();
});

test('[34] a link ends after its time, whatever the clock of the machine is set to meanwhile', () => {
	const links = shares();
	const {code} = links.create({session: 'one', role: 'observer', owner: undefined}, shortestShareMs);
	const {pass = ''} = links.join(code) ?? {};
	const close = vi.fn();
	links.guest(pass)?.keep({close});
	// As when the clock is set by a server of times.
	vi.setSystemTime(Date.now() - 5000);
	vi.advanceTimersByTime(shortestShareMs + 1);
	expect(close).toHaveBeenCalledOnce();
	expect(links.guest(pass)).toBeUndefined();
});

test('[34] whatever happens to links, in any order: a code works once, and nobody stays after the end of theirs', () => {
	const acts = fc.oneof(
		fc.record({
			act: fc.constant('create' as const),
			owner: fc.constantFrom('ann', 'bob'),
			forMs: fc.integer({min: 0, max: 3 * shortestShareMs}),
		}),
		fc.record({act: fc.constantFrom('join' as const, 'connect' as const, 'revoke' as const), of: fc.nat(20)}),
		fc.record({act: fc.constant('session' as const), session: fc.constantFrom('ann', 'bob')}),
		fc.record({act: fc.constant('sleep' as const), forMs: fc.integer({min: 1, max: 2 * shortestShareMs})}),
	);
	fc.assert(
		fc.property(fc.array(acts, {maxLength: 60}), steps => {
			vi.useFakeTimers();
			const links = createShares();
			const made: Array<{
				code: string;
				id: string;
				owner: string;
				endsAt: number;
				pass?: string;
				isRevoked: boolean;
				open: Set<object>;
			}> = [];
			for (const step of steps) {
				switch (step.act) {
					case 'create': {
						if (step.forMs < shortestShareMs) {
							expect(() => links.create({session: step.owner, role: 'driver', owner: step.owner}, step.forMs)).toThrow(
								'1m to 7d',
							);
							break;
						}

						const share = links.create({session: step.owner, role: 'driver', owner: step.owner}, step.forMs);
						made.push({...share, owner: step.owner, isRevoked: false, open: new Set()});
						break;
					}

					case 'join':
					case 'connect':
					case 'revoke': {
						const link = made[step.of];
						if (link) {
							const lives = !link.isRevoked && link.endsAt > Date.now();
							if (step.act === 'join') {
								const joined = links.join(link.code);
								expect(joined !== undefined).toBe(lives && link.pass === undefined);
								link.pass ??= joined?.pass;
							} else if (step.act === 'revoke') {
								const other = link.owner === 'ann' ? 'bob' : 'ann';
								expect(() => links.revoke(link.id, other)).toThrow('No link');
								if (lives) {
									links.revoke(link.id, link.owner);
								}

								link.isRevoked = true;
							} else if (link.pass !== undefined) {
								const guest: ShareGuest | undefined = links.guest(link.pass);
								expect(guest !== undefined).toBe(lives);
								const connection = {close: () => void link.open.delete(connection)};
								if (guest) {
									link.open.add(connection);
									guest.keep(connection);
								}
							}
						}

						break;
					}

					case 'session':
						links.endSession(step.session);
						for (const link of made) {
							link.isRevoked ||= link.owner === step.session;
						}

						break;
					case 'sleep':
						vi.advanceTimersByTime(step.forMs);
				}

				for (const {open, isRevoked, endsAt} of made) {
					expect(open.size === 0 || (!isRevoked && endsAt > Date.now() - 2)).toBe(true);
				}
			}

			links.close();
			vi.useRealTimers();
		}),
	);
});

test('a link lasts from a minute to seven days', () => {
	const links = shares();
	const make = (forMs: number) => () => links.create({session: 'one', role: 'driver', owner: undefined}, forMs);
	for (const forMs of [0, -1, Number.NaN, shortestShareMs - 1, longestShareMs + 1, Number.POSITIVE_INFINITY]) {
		expect(make(forMs)).toThrow('A link lasts from 1m to 7d.');
	}

	expect(make(longestShareMs)().endsAt).toBe(Date.now() + longestShareMs);
});
