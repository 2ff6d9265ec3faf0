/** What of a module is seen, or has a box, where it must not. */
(() => {
  const region = document.querySelector('.host-content')
  const box = region.getBoundingClientRect()
  const found = []
  // What a person sees and clicks at any point outside is the host's.
  for (let x = 2; x < innerWidth; x += 14)
    for (let y = 2; y < innerHeight; y += 14) {
      const within = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom
      const hit = document.elementFromPoint(x, y)
      if (!within && hit && region.contains(hit)) found.push(`${hit.tagName} at ${x},${y}`)
    }
  // Beyond the start edges there is no scrolling: a box there would be laid over something else.
  for (const element of region.querySelectorAll('*')) {
    const { top, width, height } = element.getBoundingClientRect()
    if (width > 0 && height > 0 && top < box.top) found.push(`${element.tagName} above the region`)
  }
  const bar = document.querySelector('.host-top').getBoundingClientRect()
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than the window')
  if (bar.top !== 0 || document.elementFromPoint(5, 5)?.closest('.host-top') === null)
    found.push('the bar is covered')
  return found
  })
