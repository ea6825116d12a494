import fc from 'fast-check';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type ParameterName, pathParameters} from '../../src/contract/parameters.ts';
import {parametersOf} from '../../src/contract/path.ts';
import {notShown} from '../../src/contract/scalars.ts';
import {anyCharacter, anyText} from '../any-text.ts';
import {valuesOf} from '../contract/arbitrary.ts';
import type {Parameters} from './populated.ts';

/** Any JSON: valid, arbitrary, or valid with something arbitrary in it. */
function bodiesOf({body = notShown}: Endpoint) {
	const right = valuesOf(body);
	const any = fc.jsonValue({depthSize: 'small', stringUnit: anyCharacter});
	const both = fc
		.tuple(right, fc.dictionary(fc.string(), any, {maxKeys: 2}))
		.map(([given, more]) => (typeof given === 'object' ? {...given, ...more} : given));
	return fc.oneof(right, any, both).map(value => JSON.stringify(value));
}

/** Any query: known and unknown names, each repeated any number of times. */
function queriesOf({query}: Endpoint) {
	const names = query && 'shape' in query.def ? Object.keys(Object(query.def.shape)) : [];
	const name = fc.oneof(fc.constantFrom('page', 'sort_by', ...names), fc.string());
	const value = fc.oneof(anyText(), fc.integer().map(String), fc.double().map(String));
	return fc.array(fc.tuple(name, value), {maxLength: 4}).map(pairs => new URLSearchParams(pairs).toString());
}

/** Another value for one path parameter, or none. */
function pathsOf({path}: Endpoint, parameters: Parameters) {
	const names = parametersOf(path) as readonly ParameterName[];
	const change = (name: ParameterName) =>
		fc.oneof(valuesOf(pathParameters[name]).map(String), anyText()).map(value => ({[name]: value}));
	return fc.oneof(fc.constant({}), ...names.map(change)).map(changed => ({...parameters, ...changed}));
}

/** Any request to an operation of a server with these things in it: its URL without origin, and its JSON. */
export function requestsOf(row: Endpoint, parameters: Parameters) {
	return fc
		.record({values: pathsOf(row, parameters), query: queriesOf(row), body: bodiesOf(row)})
		.map(({values, query, body}) => {
			const path = row.path.replace(/:(\w+)/g, (_, name: ParameterName) => encodeURIComponent(values[name]));
			return {url: `${path}${query && `?${query}`}`, body};
		});
}
