import type {AllowedBy} from './block.ts';

/** Where rules come from, in words. */
const sources: Readonly<Record<string, string>> = {
	flag: 'the command line',
	session: 'this session',
	folder: 'this folder',
	settings: 'settings.json',
};

/** Returns where rules come from, as they name it themselves if they are of a later version. */
export function ruleSource(source: string): string {
	return Object.hasOwn(sources, source) ? (sources[source] ?? source) : source;
}

/** Returns who allowed a call, as a sentence. Untrusted, because rules quote commands. */
export function allowedText({by = '', rules = []}: AllowedBy): string {
	if (rules.length > 0) {
		const names = rules.map(({number, source}) => `rule ${number} of ${ruleSource(source)}`);
		return `Allowed by ${names.join(' and ')}`;
	}

	switch (by) {
		case 'user':
			return 'Allowed by you';
		case 'mode':
			return 'Allowed by the approval mode';
		case 'flag':
			return 'Allowed by the command line';
		case 'read-only':
			return 'Allowed because it only reads';
		default:
			return `Allowed by the rule ${by}`;
	}
}
