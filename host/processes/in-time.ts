/** What `answer` comes to; `late` where that takes longer than so many milliseconds. */
export async function inTime<Answer, Late>(
  answer: Promise<Answer>,
  milliseconds: number,
  late: Late,
): Promise<Answer | Late> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), milliseconds)
  })
  return Promise.race([answer, over]).finally(() => clearTimeout(timer))
}
