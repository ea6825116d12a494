import {isBuiltin} from 'node:module';
import {transform} from 'esbuild';

/**
 * Returns a chunk as CommonJS. esbuild would copy each property of a builtin and define each export twice, which takes a tenth
 * of a start: builtins are imported by the loader instead, and exports are one object of getters.
 */
export async function toCommonJs(text, {target, supported}) {
	const {code} = await transform(text, {
		format: 'cjs',
		platform: 'node',
		target,
		supported,
		minify: true,
		define: {'import.meta.url': 'module.url'},
	});
	const plain = withOneExport(withPlainBuiltins(code));
	// Without the functions that only did that.
	const shaken = await transform(plain, {platform: 'node', target, supported, minify: true, treeShaking: true});
	return shaken.code;
}

/** `import fs from 'node:fs'`, as esbuild writes it. */
const copied = /(?<![\w$.])[\w$]+\((require\("([^"]+)"\))(?:,1)?\)/g;

function withPlainBuiltins(code) {
	return code.replace(copied, (whole, _, id) => (isBuiltin(id) ? `require.builtin(${JSON.stringify(id)})` : whole));
}

/** What esbuild begins a module with that exports something: `var a={};b(a,{name:()=>value});module.exports=c(a);` */
const defined = /var ([\w$]+)=\{\};[\w$]+\(\1,\{([^{}]*)\}\);module\.exports=[\w$]+\(\1\)(?=[;}]|$)/;

function withOneExport(code) {
	const [found, , list] = defined.exec(code) ?? [];
	if (!found) {
		if (/module\.exports=/.test(code)) {
			throw new Error('esbuild writes the exports of a module in another way now.');
		}

		return code;
	}

	const getters = list
		.split(/,(?=(?:[\w$]+|"[^"]+"):\(\)=>)/)
		.map(each => each.replace(/^([^:]+):\(\)=>(.*)$/s, 'get $1(){return $2}'));
	return code
		.replace(found, () => `module.exports={__esModule:!0,${getters.join(',')}}`)
		.replace(/0&&\(module\.exports=\{[^{}]*\}\);?/, '');
}
