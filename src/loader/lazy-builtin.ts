/** Builtins that take Node a millisecond or more to load, and that few starts use before the first frame. */
const slow = new Set(['child_process', 'crypto', 'fs/promises', 'http', 'os', 'perf_hooks', 'timers/promises', 'zlib']);

/**
 * Returns what `require` returns for a builtin or a package. A builtin that is slow to load is loaded when something of it is
 * used, so that a module that imports it costs nothing until then.
 */
export function requireLazily(require: (id: string) => unknown, id: string): unknown {
	if (!slow.has(id.replace(/^node:/, ''))) {
		return require(id);
	}

	const load = (): object => Object(require(id));
	return new Proxy(
		{},
		{
			get: (_, name) => Reflect.get(load(), name),
			has: (_, name) => Reflect.has(load(), name),
			ownKeys: () => Reflect.ownKeys(load()),
			getOwnPropertyDescriptor(_, name) {
				const descriptor = Reflect.getOwnPropertyDescriptor(load(), name);
				// The object behind the proxy has no property, which none of these may contradict.
				return descriptor && {...descriptor, configurable: true};
			},
		},
	);
}

/** Creates what returns builtins as modules import them: with themselves as the default export. */
export function createBuiltins(require: (id: string) => unknown): (id: string) => unknown {
	const known = new Map<string, unknown>();
	return id => {
		if (!known.has(id)) {
			const exports = requireLazily(require, id);
			known.set(id, Object.create(Object(exports), {default: {value: exports}}));
		}

		return known.get(id);
	};
}
