import type { ProfileShapes } from '@hes/contract/asset/southbound.ts';
import { fill, type Text } from '@hes/contract/core/text.ts';
import { faultsOf, type ShapeFault } from '@hes/dlms/profile/dcu-shape-faults.ts';
import { ApiError } from '#platform/api-error.ts';

/** Messages of the form and the import, by fault. */
const FAULT_TEXT: Record<ShapeFault, Text> = {
  unknown_array: { en: 'The head-end knows no array {detail}', zh: '主站不支持数组 {detail}' },
  unknown_script: { en: 'The head-end knows no script {detail}', zh: '主站不支持脚本 {detail}' },
  duplicate_id: { en: 'Another array has the number {detail}', zh: '编号 {detail} 已被其他数组占用' },
  duplicate_field: { en: 'The field {detail} is there twice', zh: '字段 {detail} 重复' },
  missing_field: { en: 'The field {detail} is missing', zh: '缺少字段 {detail}' },
  unknown_type: { en: 'There is no type {detail}', zh: '不存在类型 {detail}' },
  wrong_type: { en: 'The field cannot have the type {detail}', zh: '该字段不能使用类型 {detail}' },
  missing_value: { en: 'The number of {detail} is missing', zh: '缺少 {detail} 的数值' },
  unknown_value: { en: 'The head-end knows no value {detail}', zh: '主站不支持取值 {detail}' },
  duplicate_value: { en: 'Two values have the number {detail}', zh: '两个取值的数值均为 {detail}' },
  value_too_large: { en: 'The type cannot hold the number {detail}', zh: '该类型无法容纳数值 {detail}' },
};

/** Throws VALIDATION with every fault of the shapes at its place, such as `profile.body.shapes.archive.phase`. */
export function refuseFaults(shapes: ProfileShapes): void {
  const issues = faultsOf(shapes).map(({ fault, at, detail }) => ({
    field: `profile.body.shapes.${at}`,
    message: fill(FAULT_TEXT[fault], { detail }),
  }));
  if (issues.length > 0) throw new ApiError('VALIDATION', {}, issues);
}
