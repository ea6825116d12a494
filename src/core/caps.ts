/** What a run may use beside its budget, its sub-agents included. A row is all that a new cap needs. */
type CapRow = {
	/** The user's setting. A project that they trust may only lower it, and the model can't change it. */
	readonly setting: string;
	readonly limit: number;
	readonly most: number;
	/** What is counted: one, and several. */
	readonly units: readonly [string, string];
	/** The summary of the setting. */
	readonly summary: string;
	/** The tool whose calls are counted, and what is said of a call that is refused. */
	readonly tool?: string;
	readonly refused?: string;
};

/**
 * The caps of a run. Counted from the last message that the user sent by hand: neither a compaction nor a watch begins again.
 * Other limits are fixed: sub-agents start none themselves, and `maxCalls`, `maxRunning` and `maxTaskTurns` bound the calls
 * of an answer, the jobs of a session and the turns of a sub-agent.
 */
export const caps = {
	turns: {
		setting: 'max_turns',
		limit: 300,
		most: 10_000,
		units: ['turn', 'turns'],
		summary: 'Most turns of a run, with its sub-agents',
	},
	tasks: {
		setting: 'max_tasks',
		limit: 50,
		most: 1000,
		units: ['sub-agent', 'sub-agents'],
		summary: 'Most sub-agents of a run',
		tool: 'task',
		refused: 'Not started.',
	},
	tasksAtOnce: {
		setting: 'max_tasks_at_once',
		limit: 4,
		most: 16,
		units: ['sub-agent', 'sub-agents'],
		summary: 'Most sub-agents at the same time',
	},
	fetches: {
		setting: 'max_fetches',
		limit: 100,
		most: 10_000,
		units: ['fetch', 'fetches'],
		summary: 'Most pages that a run fetches',
		tool: 'fetch_url',
		refused: 'Nothing was sent.',
	},
	searches: {
		setting: 'max_searches',
		limit: 500,
		most: 10_000,
		units: ['search', 'searches'],
		summary: 'Most searches of a run in files',
		tool: 'search_text',
		refused: 'Nothing was searched.',
	},
} as const satisfies Readonly<Record<string, CapRow>>;

export type CapName = keyof typeof caps;

/** The setting of a cap. */
export type CapSetting = (typeof caps)[CapName]['setting'];

export type CapLimits = Readonly<Record<CapName, number>> & {
	/** Those that a project has lowered. */
	readonly lowered?: readonly CapName[];
};

export const capNames = Object.keys(caps) as readonly CapName[];

/** The limits without any setting. */
export const defaultLimits = limitsBy(name => caps[name].limit);

/** Returns the limits that a function has for each cap. */
export function limitsBy(limitOf: (name: CapName) => number): Readonly<Record<CapName, number>> {
	return Object.fromEntries(capNames.map(name => [name, limitOf(name)])) as Record<CapName, number>;
}

/** The counts of a session: those of one run after the other, until the user sends a message. */
export type CapCounts = {
	readonly limits: () => CapLimits;
	/** Sets the limits of the run that begins. */
	readonly setLimits: (limits: CapLimits) => void;
	/** Counts from 0 again. */
	readonly reset: () => void;
	readonly used: (name: CapName) => number;
	/** Counts one more; false if that would be more than the limit. Atomic, so that sub-agents can share the counts. */
	readonly take: (name: CapName) => boolean;
	/** True for the first call with this text since the last reset. */
	readonly isFirst: (text: string) => boolean;
};

export function createCapCounts(): CapCounts {
	let limits = defaultLimits;
	const counts = new Map<CapName, number>();
	const seen = new Set<string>();
	const used = (name: CapName) => counts.get(name) ?? 0;
	return {
		limits: () => limits,
		setLimits(next) {
			limits = next;
		},
		reset() {
			counts.clear();
			seen.clear();
		},
		used,
		take(name) {
			if (used(name) >= limits[name]) {
				return false;
			}

			counts.set(name, used(name) + 1);
			return true;
		},
		isFirst: text => !seen.has(text) && seen.add(text).has(text),
	};
}

/** Returns how the user raises a cap, in a few words. */
export function raiseHint(name: CapName, limits: CapLimits): string {
	const {setting, most} = caps[name];
	const {[name]: limit, lowered = []} = limits;
	return lowered.includes(name) || limit >= most
		? `See what sets the limit: \`config get ${setting}\``
		: `Raise the limit: \`config set ${setting} ${Math.min(most, 2 * limit)}\``;
}
