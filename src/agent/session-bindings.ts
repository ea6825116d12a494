import type {ResolvedKey} from '../config/provider-keys.ts';
import type {CommandPlace} from '../core/command-words.ts';
import {type ModelProvider, servedDemoModel} from '../core/model.ts';
import {shownUrl} from '../core/secrets/redact-positions.ts';
import type {RequestEndpoint} from '../core/session/request-record.ts';
import type {BindingChange} from './changed-binding.ts';
import {hashOf} from './request-usage.ts';

/**
 * What the requests of a session for the models of a provider are bound to. Without a host, that is the embedded server of
 * this program, which runs the demo model.
 */
export type ModelBinding = {readonly provider: ModelProvider; readonly host: ResolvedKey | undefined};

/** What a session was bound to when its last request was recorded. */
export type RecordedBinding = {
	/** `provider/model-name`. */
	readonly model: string;
	/** Undefined in journals of versions that did not record it. */
	readonly endpoint?: RequestEndpoint | undefined;
	/** True if the same request would cost more today. */
	readonly isDearer: () => Promise<boolean>;
};

/** A request for a model, as far as agreeing to where it goes depends on it. */
type Bound = {
	/** False if nobody started by hand what the request is for, so that nobody is asked. */
	readonly isAttended: boolean;
	readonly signal: AbortSignal;
};

/** Returns where a request for a model goes. Throws AppError("failed") if the user has not agreed to it. */
export type BindRequest = (model: string | undefined, request: Bound) => Promise<ModelBinding>;

/** What the requests of one session are bound to, as the user agreed to it. */
export type SessionBindings = {
	/** Agrees to where a model is now: the user selected it by hand, or began the session with it. */
	readonly select: (model: string | undefined) => void;
	/** Returns whether a request for a model would be sent without a question. Throws as `resolve` does. */
	readonly covers: (model: string | undefined) => Promise<boolean>;
	/** Returns what binds the requests of one run. What the user refused in it isn't asked again. */
	readonly startRun: () => BindRequest;
	/** Returns those of a session that continues this one. */
	readonly fork: () => SessionBindings;
};

type Options = {
	/** Returns where a model is now. Throws `AppError` if nothing here can answer for it. */
	readonly resolve: (model: string | undefined) => ModelBinding;
	/** Of a session that is resumed. */
	readonly recorded?: RecordedBinding | undefined;
	/** Asks the user. Left out, or false, for no. */
	readonly ask: (change: BindingChange, signal: AbortSignal) => Promise<boolean>;
	/** Where the user reads what was refused. */
	readonly place: () => CommandPlace;
};

/**
 * Creates the bindings of a session. A request goes to the host that the session was bound to, with the same key and at no
 * higher price. After a change from outside, such as another window that stores a key, the user is asked first.
 */
export function createSessionBindings(options: Options, agreed: ReadonlyMap<string, ModelBinding> = new Map()) {
	const {resolve, recorded, ask, place} = options;
	/** The bindings that the user agreed to, by provider; the last one is that of the last request. */
	const bindings = new Map(agreed);
	let previous: Promise<unknown> = Promise.resolve();

	const agree = (binding: ModelBinding) => {
		bindings.delete(binding.provider);
		bindings.set(binding.provider, binding);
	};

	const bindOne = async (model: string | undefined, {isAttended, signal}: Bound, refused: ModelBinding[]) => {
		for (;;) {
			signal.throwIfAborted();
			const now = resolve(model);
			const change = await changeTo(now, model ?? '', bindings, recorded);
			if (change) {
				const mayAsk = isAttended && !refused.some(binding => isSame(binding, now));
				if (!(mayAsk && (await ask(change, signal)))) {
					refused.push(now);
					const {refusedChange} = await import('./changed-binding.ts');
					throw refusedChange(change, place());
				}
			}

			// The user saw this one: it may have changed again meanwhile.
			agree(now);
			if (!change) {
				return now;
			}
		}
	};

	const session: SessionBindings = {
		select(model) {
			try {
				agree(resolve(model));
			} catch {
				// Without a key there is nothing to agree to: the first one that the user sets will do.
			}
		},
		covers: async model => !(await changeTo(resolve(model), model ?? '', bindings, recorded)),
		startRun() {
			const refused: ModelBinding[] = [];
			return (model, request) => {
				// Sub-agents ask one at a time, so that one answer holds for all of them.
				const bound = previous.then(() => bindOne(model, request, refused));
				previous = bound.catch(() => undefined);
				return bound;
			};
		},
		fork: () => createSessionBindings(options, bindings),
	};
	return session;
}

/** Returns what changed between what the session was bound to and where a model is now; undefined if nothing did. */
async function changeTo(
	now: ModelBinding,
	model: string,
	bindings: ReadonlyMap<string, ModelBinding>,
	recorded: RecordedBinding | undefined,
): Promise<BindingChange | undefined> {
	const to = endpointOf(now);
	const last = [...bindings.values()].at(-1);
	const bound = bindings.get(now.provider) ?? last;
	if (bound) {
		const from = endpointOf(bound);
		return isSame(bound, now) ? undefined : {model, from, to, what: from.host === to.host ? 'key' : 'host'};
	}

	if (!recorded) {
		return undefined;
	}

	const from = recorded.endpoint;
	if (!from) {
		// Which host the older name of the demo meant isn't known any more.
		const isKnown = recorded.model.startsWith(`${now.provider}/`) && recorded.model !== servedDemoModel;
		return isKnown || !now.host ? undefined : {model, from, to, what: 'host'};
	}

	const isOtherKey =
		from.key !== to.key || (from.keyMark !== undefined && to.keyMark !== undefined && from.keyMark !== to.keyMark);
	if (from.host !== to.host || isOtherKey) {
		return {model, from, to, what: from.host === to.host ? 'key' : 'host'};
	}

	const isDearer = recorded.model === model && (await recorded.isDearer());
	return isDearer ? {model, from, to, what: 'price'} : undefined;
}

/** Returns true if both bind a request to the same host with the same key, whichever provider has it. */
function isSame(one: ModelBinding, other: ModelBinding): boolean {
	const [a, b] = [one.host, other.host];
	return a && b
		? a.baseUrl === b.baseUrl && (a.key && b.key ? a.key.equals(b.key) : a.key === b.key)
		: one.provider === other.provider;
}

/** Returns where the requests of a binding go and where their key is from, as it is recorded and shown: without any secret. */
export function endpointOf({provider, host}: ModelBinding): RequestEndpoint {
	if (!host) {
		return {host: provider, key: 'none'};
	}

	const {baseUrl, key, variable} = host;
	// A key in the keychain may be locked: its last characters are known all the same.
	const keyMark = key?.last4 && hashOf(key.last4).slice(0, 4);
	return {host: shownUrl(baseUrl), key: variable ?? (key ? 'stored' : 'none'), ...(keyMark && {keyMark})};
}
