import {createBuiltins, requireLazily} from './lazy-builtin.ts';

/** A part of the program, wrapped in a function by the build. */
type Chunk = (exports: object, require: Require, module: Module, load: (id: string) => Promise<unknown>) => void;

/** What a chunk exports, and the address that it knows itself by. */
type Module = {exports: unknown; readonly url: string};

/** The chunks of one file, by name. */
export type Pack = Readonly<Record<string, Chunk>>;

/** Returns the exports of a chunk (`#pack/chunk`), a builtin or a package. */
type Require = ((id: string) => unknown) & {
	readonly resolve: NodeJS.RequireResolve;
	/** Returns a builtin as a module imports it: with itself as the default export. */
	readonly builtin: (id: string) => unknown;
};

type Options = {
	/** Reads the file of a pack. */
	readonly openPack: (name: string) => Pack;
	/** Returns the address that the chunks of a pack know themselves by. */
	readonly urlOf: (pack: string) => string;
	/** Loads builtins and packages. */
	readonly others: NodeJS.Require;
	/** Imports builtins and packages. Scripts whose compiled code is kept can't do so themselves. */
	readonly importOther: (id: string) => Promise<unknown>;
};

/** True for the codes with which the system and Node name a file that isn't there. */
const isMissing = (code: unknown) => code === 'ENOENT' || code === 'ENOTDIR' || code === 'MODULE_NOT_FOUND';

/**
 * Returns the error for a chunk that isn't there: names have hashes, so that another build took the place of this one. Its
 * `report` is what the user reads (src/core/error.ts).
 */
export function replaced(id: string, cause?: unknown): Error {
	const report = {
		code: 'failed',
		message: 'service was changed on disk while it was running, for example by an update.',
		hint: 'Your session is saved. Quit, then continue it with `$ --continue`.',
	};
	return Object.assign(new Error(`The build has no chunk ${id}.`, {cause}), {report});
}

/** Creates a module without exports. Few ask for their address, which takes a moment. */
function createModule(url: () => string): Module {
	return {
		exports: {},
		get url() {
			return url();
		},
	};
}

/** Returns a function that runs chunks, each one once and with everything that it requires, and returns their exports. */
export function createRequire({openPack, urlOf, others, importOther}: Options): (id: string) => unknown {
	const packs = new Map<string, Pack>();
	const modules = new Map<string, Module>();

	const chunkOf = (id: string, name: string) => {
		try {
			const pack = packs.get(name) ?? openPack(name);
			packs.set(name, pack);
			return pack[id];
		} catch (error) {
			const code = error instanceof Error && 'code' in error ? error.code : undefined;
			throw modules.size > 0 && isMissing(code) ? replaced(id, error) : error;
		}
	};

	const run = (id: string) => {
		const known = modules.get(id);
		if (known) {
			return known.exports;
		}

		const pack = id.slice(1, id.indexOf('/'));
		const chunk = chunkOf(id, pack);
		if (!chunk) {
			throw replaced(id);
		}

		const module = createModule(() => urlOf(pack));
		modules.set(id, module);
		try {
			chunk(Object(module.exports), require, module, load);
		} catch (error) {
			// The next import tries again.
			modules.delete(id);
			throw error;
		}

		return module.exports;
	};

	const require = Object.assign((id: string) => (id.startsWith('#') ? run(id) : requireLazily(others, id)), {
		resolve: others.resolve,
		builtin: createBuiltins(others),
	});

	/** A chunk that must be read waits for one turn of the event loop, so that keys and frames come first. */
	const load = async (id: string) => {
		if (!id.startsWith('#')) {
			return importOther(id);
		}

		if (!modules.has(id)) {
			await new Promise(resolve => setImmediate(resolve));
		}

		return run(id);
	};

	return run;
}
