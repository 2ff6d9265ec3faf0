export async function bundleModule(
  dir: string,
): Promise<{ code: string; sourceMap: string; hash: string; files: string[] }> {
  throw new Error(`no bundler yet ${dir}`)
}
