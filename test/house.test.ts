import {expect, test} from 'vitest';
import {measureHouse} from '../.scripts/house.mjs';

const house = measureHouse();

test('an entry of a literal stands by itself, not in a literal that is spread', () => {
	expect(house.literalSpreads).toEqual([]);
});

test('a name of an exported type stands for one type', () => {
	expect(house.doubledTypes).toEqual([]);
});

test('no folder is there for one file', () => {
	expect(house.lonelyFolders).toEqual([]);
});
