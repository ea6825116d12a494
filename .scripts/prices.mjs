// Generates src/core/prices.json from the models and prices in @pydantic/genai-prices. `--print` writes to stdout instead.
import {readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {findProvider} from '@pydantic/genai-prices';
import {loadSource} from './load-source.mjs';

// The package carries no date of its own: this is when the version was published. Look it up for another version with
// `npm view @pydantic/genai-prices time`.
const release = {version: '0.1.8', date: '2026-09-23'};

const target = fileURLToPath(new URL('../src/core/prices.json', import.meta.url));
const installed = JSON.parse(
	readFileSync(new URL('../node_modules/@pydantic/genai-prices/package.json', import.meta.url), 'utf8'),
).version;
if (installed !== release.version) {
	throw new Error(`@pydantic/genai-prices is ${installed} now: put its version and date into .scripts/prices.mjs.`);
}

const {providerRows} = await loadSource('src/core/provider-rows.ts');

// Models that can't chat, models that Google only resells, and prices of resellers.
const noChat =
	/embed|whisper|tts|image|audio|realtime|transcribe|ocr|moderation|guard|live|voxtral|computer-use|deep-research|omni|^(?:text-)?(?:ada|babbage|curie|davinci)|turbo-instruct|search-preview|:free|vision/;
const ownPrice = (provider, {price_comments: comments = ''}) =>
	provider === 'openrouter' || !/Imported from OpenRouter|just trusting open router|Seen on OpenRouter/.test(comments);
const others = {google: /^claude/, openrouter: /^(?:[^/]+$|~)|:/};
const chats = (provider, {id}) => !noChat.test(id) && !others[provider]?.test(id);

const buckets = {
	input: 'input_mtok',
	cacheRead: 'cache_read_mtok',
	cacheWrite: 'cache_write_mtok',
	output: 'output_mtok',
};
const notes = {dated: [], timed: []};

/** The prices in force on the day of the release. */
function inForce(id, prices) {
	if (!Array.isArray(prices)) {
		return prices;
	}

	const isTimed = prices.some(({constraint}) => constraint?.type === 'time_of_date');
	(isTimed ? notes.timed : notes.dated).push(id);
	// The peak hours come last: a cost is estimated too high rather than too low.
	const started = ({constraint}) =>
		!constraint ||
		constraint.type === 'time_of_date' ||
		(constraint.type === 'start_date' && constraint.start_date <= release.date);
	return prices.findLast(started)?.prices ?? {};
}

/**
 * US dollars per million tokens by bucket; buckets without their own price are left out. `tiers` has the prices of all
 * tokens for prompts of more than `above` tokens.
 */
function priceOf(id, all) {
	const prices = inForce(id, all);
	const price = bucketsAt(prices, 0);
	const starts = Object.values(buckets).flatMap(key => prices[key]?.tiers?.map(({start}) => start) ?? []);
	const tiers = [...new Set(starts)].sort((a, b) => a - b).map(above => ({above, ...bucketsAt(prices, above + 1)}));
	return price.input > 0 && price.output > 0 ? {...price, ...(tiers.length > 0 && {tiers})} : undefined;
}

/** Returns the prices for a prompt of this many tokens. */
function bucketsAt(prices, tokens) {
	const entries = Object.entries(buckets).flatMap(([bucket, key]) => {
		const price = prices[key];
		const tier = price?.tiers?.findLast(({start}) => tokens > start);
		const found = typeof price === 'object' ? (tier?.price ?? price.base) : price;
		return typeof found === 'number' ? [[bucket, found]] : [];
	});
	return Object.fromEntries(entries);
}

/** Returns the package's matching rule as the source of a regular expression. */
function patternOf(match) {
	const literal = text => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
	const [[kind, value]] = Object.entries(match);
	switch (kind) {
		case 'or':
			return value.map(patternOf).join('|');
		case 'and':
			return `^${value.map(each => `(?=${patternOf(each).replace(/^(?!\^)/, '.*')})`).join('')}`;
		case 'equals':
			return `^${literal(value)}$`;
		case 'starts_with':
			return `^${literal(value)}`;
		case 'ends_with':
			return `${literal(value)}$`;
		case 'contains':
			return literal(value);
		case 'regex':
			return value;
		default:
			throw new Error(`The package has a new kind of rule: ${kind}.`);
	}
}

/** Returns the name that the vendor accepts: the package omits the folder of some. */
function nameOf({id, match}) {
	const whole = [match, ...(match.or ?? [])].flatMap(({equals = []}) => equals);
	return whole.includes(id) ? id : (whole.find(name => name.endsWith(`/${id}`)) ?? id);
}

function rowOf(provider, model) {
	const {name, context_window: context, match, prices, deprecated} = model;
	const id = nameOf(model);
	const {current = /./} = providerRows[provider].prices;
	const price = chats(provider, model) && ownPrice(provider, model) ? priceOf(id, prices) : undefined;
	const pattern = patternOf(match);
	return {
		id,
		...(price && name && name !== id && {name}),
		...(price && context && {context}),
		...(price && current.test(id) && !deprecated && {current: true}),
		...(price && {price}),
		...(pattern !== patternOf({equals: id}) && {match: pattern}),
	};
}

/** Keeps a row without a price only if another row's rule would match its model. */
function rowsOf(provider) {
	const rows = findProvider({providerId: providerRows[provider].prices.source}).models.map(model =>
		rowOf(provider, model),
	);
	const priced = rows.filter(({price}) => price);
	return rows.filter(({id, price}) => price || priced.some(({match}) => match && new RegExp(match, 'i').test(id)));
}

const priced = Object.keys(providerRows).filter(provider => providerRows[provider].prices);
const providers = priced.map(provider => {
	const rows = rowsOf(provider).map(row => `\t\t\t${JSON.stringify(row)}`);
	return `\t\t"${provider}": [\n${rows.join(',\n')}\n\t\t]`;
});
const header = {
	source: `@pydantic/genai-prices ${release.version}`,
	date: release.date,
	notes: [
		`The price in force on the date was taken of: ${[...new Set(notes.dated)].join(', ')}.`,
		`The price of the peak hours was taken of: ${[...new Set(notes.timed)].join(', ')}.`,
	],
};
const text = `{
	"source": ${JSON.stringify(header.source)},
	"date": ${JSON.stringify(header.date)},
	"notes": ${JSON.stringify(header.notes)},
	"providers": {
${providers.join(',\n')}
	}
}
`;
if (process.argv.includes('--print')) {
	process.stdout.write(text);
} else {
	writeFileSync(target, text);
}
