/** Elements that are left out with everything in them. */
export const leftOutElements = new Set(
	'script style noscript template svg math iframe object canvas video audio map nav select dialog'.split(' '),
);

/** Elements without content or end. */
export const emptyElements = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Elements that stand alone: 2 with an empty line around them, 1 without. */
export const blockElements: ReadonlyMap<string, 1 | 2> = new Map([
	...'p h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote table section article main figure details form fieldset hr'
		.split(' ')
		.map(name => [name, 2] as const),
	...'div header footer aside address li dt dd tr figcaption summary legend caption body option'
		.split(' ')
		.map(name => [name, 1] as const),
]);

/** Elements whose text stands between two marks. */
export const spanMarks: ReadonlyMap<string, string> = new Map([
	['b', '**'],
	['strong', '**'],
	['i', '*'],
	['em', '*'],
	['code', '`'],
	['kbd', '`'],
	['samp', '`'],
	['del', '~~'],
	['s', '~~'],
]);
