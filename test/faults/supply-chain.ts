import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {createTally, type Fault} from './fault.ts';

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

export const supplyChain: readonly Fault[] = [
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
