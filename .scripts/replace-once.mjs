/**
 * Returns `text` with the only place that matches `pattern` replaced. Throws if there is none, or more than one: the module
 * that is patched has changed then.
 */
export function replaceOnce(text, pattern, replacement, module) {
	const found = text.match(new RegExp(pattern, 'g'))?.length ?? 0;
	if (found !== 1) {
		throw new Error(
			`${module} has ${found} places that match ${pattern}, not 1. Read its new source, then adapt the patch.`,
		);
	}

	return text.replace(pattern, replacement);
}
