/** One sample of a text for Prometheus. */
export type Sample = {
	readonly name: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
};

type Family = {readonly type: string; readonly help: string; readonly samples: Sample[]};

const namePattern = /^[a-zA-Z_:][\w:]*$/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/**
 * Parses the text format of Prometheus, version 0.0.4, strictly: each family has one HELP and one TYPE before its samples, stands
 * in one place, and has no sample twice; buckets of a histogram grow and end with `+Inf`. Throws an Error that names the line.
 */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
	const families = new Map<string, Family>();
	const helps = new Map<string, string>();
	const seen = new Set<string>();
	let current = '';
	if (!text.endsWith('\n')) {
		throw new Error('The last line has no end.');
	}

	for (const [index, line] of text.slice(0, -1).split('\n').entries()) {
		const fail = (why: string): never => {
			throw new Error(`Line ${index + 1}: ${why}: ${line}`);
		};
		const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
		if (keyword === 'HELP') {
			helps.has(name) && fail('a second HELP');
			helps.set(name, rest);
		} else if (keyword === 'TYPE') {
			(families.has(name) || !helps.has(name)) && fail('TYPE without HELP, or twice');
			/^(?:counter|gauge|histogram|summary|untyped)$/.test(rest) || fail('unknown type');
			families.set(name, {type: rest, help: helps.get(name) ?? '', samples: []});
			current = name;
		} else if (line !== '' && !line.startsWith('#')) {
			const [, sample = '', inner = '', number = ''] = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? fail('no sample');
			const family = families.get(current) ?? fail('a sample before its TYPE');
			const suffix = sample.slice(current.length);
			const suffixes =
				family.type === 'histogram'
					? ['_bucket', '_sum', '_count']
					: family.type === 'summary'
						? ['', '_sum', '_count']
						: [''];
			(sample.startsWith(current) && suffixes.includes(suffix) && namePattern.test(sample)) || fail('another family');
			const labels: Record<string, string> = {};
			labelPattern.lastIndex = 0;
			while (labelPattern.lastIndex < inner.length) {
				const [, label = '', value = ''] = labelPattern.exec(inner) ?? fail('invalid labels');
				label in labels && fail('a label twice');
				labels[label] = value;
			}

			const value = number === '+Inf' || number === 'Nan' ? Number.POSITIVE_INFINITY : Number(number);
			Number.isNaN(value) && number !== 'NaN' && fail('no number');
			const series = `${sample}{${inner}}`;
			seen.has(series) && fail('a sample twice');
			seen.add(series);
			family.samples.push({name: sample, labels, value});
		}
	}

	for (const [name, {type, samples}] of families) {
		if (type === 'histogram') {
			checkBuckets(name, samples);
		}
	}

	return families;
}

function checkBuckets(name: string, samples: readonly Sample[]): void {
	const byLabels = new Map<string, Sample[]>();
	for (const sample of samples.filter(each => each.name === `${name}_bucket`)) {
		const {le: _, ...others} = sample.labels;
		const key = JSON.stringify(others);
		byLabels.set(key, [...(byLabels.get(key) ?? []), sample]);
	}

	for (const [labels, buckets] of byLabels) {
		const grows = buckets.every(({value}, index) => value >= (buckets[index - 1]?.value ?? 0));
		if (!grows || buckets.at(-1)?.labels['le'] !== '+Inf') {
			throw new Error(`The buckets of ${name}${labels} don't grow to +Inf.`);
		}
	}
}
