import type {Sighting} from '../../../config/sightings.ts';
import {type Lenient, readLeniently} from '../../../contract/lenient.ts';
import {type Runtime, runtimeSchema} from '../../../contract/resources/runtime.ts';
import {entryOf} from '../../../core/entry-of.ts';
import {formatAge, formatClock, formatDuration, formatNumber} from '../../../core/format.ts';
import {facts, yesOrNo} from '../../render/facts.ts';
import {type Instance, levelName, limitsOf, timeLimit, winner} from './runtime-view.ts';

/** What is known before a runtime is resumed. */
type WakePlan = {
	readonly title: string;
	/** What the server last said about it. */
	readonly facts: ReadonlyArray<readonly [label: string, value: string]>;
	/** The question to answer first; undefined if it is already running. */
	readonly question: string | undefined;
};

/** The place of a runtime. In another server, organization or workspace it is a different one. */
type RuntimePlace = Pick<Sighting, 'profile' | 'server' | 'org' | 'workspace'>;

/** Returns the runtime with that key or UUID, as it was last seen at that place. */
export function findRuntime(seen: readonly Sighting[], runtime: string, at: RuntimePlace): Sighting | undefined {
	return seen.find(
		({kind, id, profile, server, org, workspace, shown}) =>
			kind === 'runtime' &&
			profile === at.profile &&
			server === at.server &&
			org === at.org &&
			workspace === at.workspace &&
			(id.toLowerCase() === runtime.toLowerCase() || shown['key'] === runtime),
	);
}

/**
 * Returns the plan for `runtime`, a key or a UUID. The API shows no runtime without resuming it, so this is
 * what the server said before; `now` in milliseconds since the epoch.
 */
export function wakePlan(runtime: string, sighting: Sighting | undefined, now = Date.now()): WakePlan {
	const known = sighting && readLeniently(runtimeSchema, sighting.shown);
	if (!known || Object.keys(known).length === 0) {
		return {
			title: `Resume runtime ${runtime} (status unknown)`,
			facts: [],
			question: 'This may use credits. Resume it?',
		};
	}

	const {instance} = known;
	const isAwake = known.status === 'running' && Date.parse(instance?.expires_at ?? '') > now;
	return {
		title: `Resume runtime ${known.name ?? known.key ?? runtime} (seen ${formatAge(sighting.at, now)})`,
		facts: [
			...facts([
				['state', stateOf(known)],
				['yours', known.owned_by_me === false ? 'no (someone else’s)' : undefined],
			]),
			...(instance ? sandboxFacts(instance, now) : []),
		],
		question: isAwake ? undefined : 'It uses credits while it runs. Resume it?',
	};
}

function stateOf({status, instance}: Lenient<Runtime>): string {
	const sandbox = instance === null ? 'no sandbox' : instance?.state && `sandbox ${instance.state}`;
	return [status, sandbox === `sandbox ${status}` ? undefined : sandbox].filter(Boolean).join(', ');
}

function sandboxFacts(instance: Instance, now: number): WakePlan['facts'] {
	const {actual_runtime_limit_seconds: actual, expires_at: expires} = instance;
	const limits = limitsOf(instance);
	return facts([
		['paused', instance.pause_reason && pauseReason(instance.pause_reason)],
		// Never inferred from the provider, as specified.
		['can be paused', yesOrNo(instance.supports_pause) ?? 'unknown'],
		['credits', creditsOf(instance)],
		...limits.map(({what, limit, level}) => [`limit ${what}`, `${timeLimit(limit)}, ${levelName(level)}`] as const),
		[
			'limit actual',
			typeof actual === 'number'
				? [timeLimit(actual), winner(instance, limits)].filter(Boolean).join(', ')
				: instance.runtime_limited_by_credits
					? 'limited by credits'
					: undefined,
		],
		['expires', expires && `${expires} (${formatAge(expires, now)})`],
	]);
}

const reasons: Readonly<Record<string, string>> = {
	timeout: 'time limit reached (timeout)',
	user: 'by a user (user)',
	insufficient_credits: 'the organization ran out of credits (insufficient_credits)',
	member_limit_exceeded: 'you reached your monthly credit limit (member_limit_exceeded)',
};

/** Returns why a sandbox was paused; an unknown reason as it is. */
function pauseReason(reason: string): string {
	return entryOf(reasons, reason) ?? reason;
}

/** Returns the known credits: “12 billed, 3 running, 4,000 estimated total”. */
function creditsOf(instance: Instance): string | undefined {
	const parts = [
		['billed', instance.billed_credits],
		['running', instance.running_credits],
		['estimated total', instance.estimated_total_credits],
	] as const;
	const said = parts.flatMap(([what, count]) => (count === undefined ? [] : [`${formatNumber(count)} ${what}`]));
	return said.join(', ') || undefined;
}

type Watch = {
	/** Shows a step in place of the previous one; '' removes it. */
	readonly show: (step: string) => void;
	/** True if shown lines stay: each step is then shown once, without a timer. */
	readonly isStill: boolean;
	/** The clock in milliseconds since the epoch. */
	readonly now?: () => number;
};

/** A shorter wait isn't a step. */
const silentWaitMs = 300;
const updateIntervalMs = 500;

/**
 * Sends a request that may take long, and shows its steps: asked, and after 300 ms waiting, with a timer. Returns the answer
 * with the time of the request and its duration in milliseconds. Throws what `ask` throws.
 */
export async function withSteps<Answer>(
	what: string,
	ask: () => Promise<Answer>,
	{show, isStill, now = Date.now}: Watch,
): Promise<{readonly answer: Answer; readonly askedAt: number; readonly took: number}> {
	const askedAt = now();
	let timer: NodeJS.Timeout | undefined;
	const wait = () => {
		show(`${what}: asked, waiting${isStill ? '' : ` ${formatDuration(now() - askedAt)}`}`);
		if (!isStill) {
			timer = setTimeout(wait, updateIntervalMs);
		}
	};

	if (!isStill) {
		show(`${what}: asked`);
	}

	timer = setTimeout(wait, silentWaitMs);
	try {
		const answer = await ask();
		return {answer, askedAt, took: now() - askedAt};
	} finally {
		clearTimeout(timer);
		if (!isStill) {
			show('');
		}
	}
}

type Steps = {
	readonly server: string;
	readonly askedAt: number;
	readonly took: number;
	/** The state in the server's answer. */
	readonly status: string | undefined;
};

/** Returns the finished steps as one line, in local time. */
export function stepsLine({server, askedAt, took, status}: Steps): string {
	const waited = took >= silentWaitMs ? [`waited ${formatDuration(took)}`] : [];
	const answered = formatClock(askedAt + took);
	// The server doesn't say since when it runs: it may have run before.
	const end = status === 'running' ? `running as of ${answered}` : `${status ?? 'answered'} at ${answered}`;
	return [`Asked ${server} at ${formatClock(askedAt)}`, ...waited, end].join(' · ');
}
