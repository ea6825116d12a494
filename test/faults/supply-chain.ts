import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {cpSync, existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {folderWith, program} from '../e2e/program.ts';
import {createRandom, createTally, type Fault} from './fault.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

type Locked = {
	readonly version?: string;
	readonly resolved?: string;
	readonly integrity?: string;
	readonly license?: string;
	readonly dev?: boolean;
	readonly optional?: boolean;
	readonly inBundle?: boolean;
	readonly hasInstallScript?: boolean;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
	readonly peerDependencies?: Readonly<Record<string, string>>;
};

const lockedPackages = () =>
	Object.entries<Locked>(read('package-lock.json').packages).filter(([path, {inBundle}]) => path !== '' && !inBundle);

/** Checks every locked package. Amounts don't matter: there are as many as there are. */
function everyPackage(name: string, check: (path: string, locked: Locked) => string | undefined): Fault {
	return {
		...{name, rules: [], amounts: {test: 1, full: 1}},
		async run() {
			const tally = createTally();
			for (const [path, locked] of lockedPackages()) {
				const problem = check(path, locked);
				tally.add(1, problem === undefined ? [] : [`${path} ${locked.version}: ${problem}`]);
			}

			return tally.figure();
		},
	};
}

/** What is locked without an address comes from there, too. */
const registry = 'https://registry.npmjs.org/';

const allowed = new Set(Object.keys(read('package.json').allowScripts));

/** Licences that let everyone use, change and pass on a copy, with no duty but to name them. */
const licences =
	/^\(?(?:MIT|MIT-0|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|BlueOak-1\.0\.0|Python-2\.0|CC0-1\.0|Unlicense)\b/;

/** Build and test tools that are never shipped may also have these. */
const licencesOfTools = /^\(?(?:MPL-2\.0|CC-BY-4\.0|CC-BY-3\.0)\b/;

type Reasons = {
	readonly dependencies: Readonly<Record<string, string>>;
	readonly optionalDependencies: Readonly<Record<string, string>>;
	/** How many packages come with those, for all platforms together. */
	readonly runtimePackages: number;
};

const reasons: Reasons = read('.scripts/dependencies.json');

/** Returns the paths of what is installed with the program because a dependency with a reason needs it. */
function neededPackages(): ReadonlySet<string> {
	const locked = new Map(lockedPackages());
	const needed = new Set<string>();
	const visit = (name: string, from: string): void => {
		// As Node looks for it: in the nearest folder above.
		for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
			const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
			const found = locked.get(path);
			if (found && !needed.has(path)) {
				needed.add(path);
				const {dependencies = {}, optionalDependencies = {}, peerDependencies = {}} = found;
				for (const next of Object.keys({...dependencies, ...optionalDependencies, ...peerDependencies})) {
					visit(next, path);
				}
			}

			if (found || folder === '') {
				return;
			}
		}
	};
	for (const name of Object.keys({...reasons.dependencies, ...reasons.optionalDependencies})) {
		visit(name, '');
	}

	return needed;
}

/** What a build reads. */
const sources = ['src', 'commands', '.scripts', 'package.json', 'tsconfig.json', 'LICENSE'];

/** Copies the installed packages, by links to the same files where the disk is the same. */
async function copyPackages(folder: string): Promise<void> {
	const run = promisify(execFile);
	const packages = join(root, 'node_modules');
	await run('cp', ['-al', packages, folder]).catch(() => run('cp', ['-a', packages, folder]));
}

/** Returns the hash of each file of a build, by its path. What V8 compiled of them follows from them and from the machine. */
function hashesIn(folder: string): ReadonlyMap<string, string> {
	const paths = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter(
		path => !path.startsWith('compiled') && statSync(join(folder, path)).isFile(),
	);
	return new Map(
		paths.map(path => [
			path,
			createHash('sha256')
				.update(readFileSync(join(folder, path)))
				.digest('hex'),
		]),
	);
}

const rebuilt: Fault = {
	name: 'a build of the same source in another folder, a year later, in another time zone and language: the same files, byte by byte, but for what V8 compiled of them',
	rules: [],
	amounts: {test: 1, full: 3},
	async run({seed, amount}) {
		const random = createRandom(seed);
		const tally = createTally();
		const built = hashesIn(dirname(program));
		for (let turn = 0; turn < amount; turn += 1) {
			const folder = join(folderWith(), 'a'.repeat(1 + random.below(60)), 'service');
			for (const name of sources) {
				cpSync(join(root, name), join(folder, name), {recursive: true});
			}

			await copyPackages(join(folder, 'node_modules'));
			const later = `const now = Date.now; Date.now = () => now() + ${1 + random.below(400)} * 86_400_000;`;
			const env = {
				...process.env,
				TZ: random.pick(['Asia/Tokyo', 'America/Lima']),
				LANG: 'tr_TR.UTF-8',
				LC_ALL: 'tr_TR.UTF-8',
			};
			const words = ['--import', `data:text/javascript,${encodeURIComponent(later)}`, '.scripts/build.mjs', '--fast'];
			await promisify(execFile)(process.execPath, words, {cwd: folder, env});
			const again = hashesIn(join(folder, 'dist'));
			const all = new Set([...built.keys(), ...again.keys()]);
			tally.add(
				all.size,
				[...all].filter(path => built.get(path) !== again.get(path)).map(path => `${path} differs`),
			);
		}

		return tally.figure();
	},
};

const needed = neededPackages();

export const supplyChain: readonly Fault[] = [
	everyPackage(
		'a package that is installed with the program, and that no dependency with a reason needs',
		(path, {dev}) => (dev || needed.has(path) ? undefined : 'nobody says why'),
	),
	{
		name: 'more or fewer packages than the number that .scripts/dependencies.json names',
		...{rules: [], amounts: {test: 1, full: 1}},
		async run() {
			const count = lockedPackages().filter(([, {dev}]) => !dev).length;
			const tally = createTally();
			tally.add(count, count === reasons.runtimePackages ? [] : [`${count} packages, not ${reasons.runtimePackages}`]);
			return tally.figure();
		},
	},
	rebuilt,
	everyPackage('a package of the lock file that another registry or nobody vouches for', (_, {resolved, integrity}) =>
		(resolved ?? registry).startsWith(registry) && integrity?.startsWith('sha512-')
			? undefined
			: `${resolved} ${integrity}`,
	),
	everyPackage(
		'a package that runs a script when it is installed, and that nobody read',
		(path, {hasInstallScript, optional}) => {
			const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
			// What is for another system isn't installed here.
			return hasInstallScript && !allowed.has(name) && (!optional || existsSync(join(root, path)))
				? 'runs a script'
				: undefined;
		},
	),
	everyPackage('a package whose licence does not let everyone use it', (_, {license = '', dev}) =>
		licences.test(license) || (dev && licencesOfTools.test(license)) ? undefined : `licence ${license}`,
	),
];
